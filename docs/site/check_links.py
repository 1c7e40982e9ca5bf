#!/usr/bin/env python3
"""docs/site/check_links.py — follows every link and picture inside a built site, as a browser would.

    check_links.py FOLDER    status 1 where one leads to a file or a place in a page that is not there

Links to other sites are not followed.
SPDX-License-Identifier: Apache-2.0
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        for key in ("id", "name"):
            if named.get(key):
                self.places.add(named[key])
        for key in ("href", "src"):
            if named.get(key):
                self.links.append(named[key])


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    pages = {}
    for folder, _, names in os.walk(arguments[0]):
        for name in names:
            if name.endswith(".html"):
                path = os.path.normpath(os.path.join(folder, name))
                pages[path] = Page(path)
    bad = followed = 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            followed += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            place = unquote(parts.fragment)
            if not os.path.exists(target):
                print(f"{path}: {link} leads nowhere")
                bad += 1
            elif place and target in pages and place not in pages[target].places:
                print(f"{path}: {link}: the page is there, the place is not")
                bad += 1
    print(f"{len(pages)} pages, {followed} links followed, {bad} lead nowhere")
    return bad > 0 or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
