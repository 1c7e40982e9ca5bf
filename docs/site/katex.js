// docs/site/katex.js — formulas in, HTML out: one JSON object per line. Used by conf.py.
// SPDX-License-Identifier: Apache-2.0
'use strict';
let katex;
try {
    katex = require('katex');
} catch (missing) {
    katex = require('/usr/share/nodejs/katex'); // where Debian puts it
}
const lines = require('readline').createInterface({input: process.stdin});
lines.on('line', line => {
    const task = JSON.parse(line);
    let html = '', error = '';
    try {
        html = katex.renderToString(task.formula, {displayMode: task.display, throwOnError: true, strict: 'ignore'});
    } catch (failure) {
        error = String(failure.message);
    }
    process.stdout.write(JSON.stringify({html, error}) + '\n');
});
