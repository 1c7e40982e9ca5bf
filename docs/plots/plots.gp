# docs/plots/plots.gp — the figures of docs/validation.md from the data of the evidence program:
#
#   build/bin/evidence --plots DATA && gnuplot -e "data='DATA'; out='docs/plots'" docs/plots/plots.gp
#
# With ending='png' it writes PNG instead of SVG.
# SPDX-License-Identifier: Apache-2.0
if (!exists("data")) data = "."
if (!exists("out")) out = "."
if (!exists("ending")) ending = "svg"
if (ending eq "png") set terminal pngcairo size 900,560 font "sans,11"; else set terminal svg size 900,560 font "sans,13" background "white"
file(name) = sprintf("%s/%s", data, name)
picture(name) = sprintf("%s/%s.%s", out, name, ending)
set grid lc rgb "#dddddd"
set key left top
blue = "#1f77b4"; red = "#d62728"; green = "#2ca02c"; grey = "#555555"

set output picture("cantilever")
set title "Heavy cantilever, 41 points per strip (regular mesh) and elastica by shooting"
set xlabel "x / L"; set ylabel "z / L"
set size ratio -1
set key at graph 0.98, 0.35 right
plot [-0.02:1.02][-0.92:0.05] \
    file("cantilever.dat") using 3:4 with lines lw 2 lc rgb grey title "elastica", \
    "" using 7:8 with lines lw 2 lc rgb grey notitle, "" using 11:12 with lines lw 2 lc rgb grey notitle, \
    "" using 1:2 with points pt 7 ps 0.5 lc rgb blue title "percale, G = 1", \
    "" using 5:6 with points pt 7 ps 0.5 lc rgb green title "percale, G = 3", \
    "" using 9:10 with points pt 7 ps 0.5 lc rgb red title "percale, G = 30"
set size noratio
set key default

# Blocks of stress.dat: 0 to 11 the bases A_n and B_n, 12 to 22 the other models.
do for [part=0:1] {
    set output picture(part ? "stress_models" : "stress_bases")
    set title "Uniaxial pull of an irregular sheet with free edges: percale (points) and formulas (lines)"
    set xlabel "stretch"; set ylabel "nominal stress, N/m"
    set key left top noenhanced maxrows 6
    first = part ? 12 : 0; last = part ? 22 : 11
    plot [0.7:1.6][-700:900] for [k=first:last] file("stress.dat") index k using 1:3 with lines lw 1.2 lc k-first+1 notitle, \
        for [k=first:last] "" index k using 1:2 every 2 with points pt k-first+4 ps 0.7 lc k-first+1 title columnheader(1)
}
set key default

set output picture("order")
set title "Error after 0.2 s against Runge-Kutta, free vibrating sheet"
set xlabel "time step, s"; set ylabel "rms error, m"
set logscale xy; set format y "10^{%T}"; set format x "10^{%T}"
set key left top
euler(h) = a * h; bdf2(h) = b * h * h
stats file("order.dat") index 0 using 1:2 nooutput
a = STATS_min_y / STATS_min_x
stats file("order.dat") index 1 using 1:2 nooutput
b = STATS_min_y / STATS_min_x**2
plot file("order.dat") index 0 using 1:2 with points pt 7 lc rgb blue title "implicit Euler", \
    euler(x) with lines dt 2 lc rgb blue title "order 1", \
    "" index 1 using 1:2 with points pt 7 lc rgb red title "BDF2", bdf2(x) with lines dt 2 lc rgb red title "order 2"
unset logscale; set format

set output picture("energy")
set title "Free vibration: total energy over that at the start"
set xlabel "time, s"; set ylabel "energy / start"
set key left bottom
plot [0:1][0.8:1.02] file("energy.dat") index 0 using 1:2 with lines lw 2 lc rgb red title "BDF2, 1 ms", \
    "" index 2 using 1:2 with lines lw 2 dt 2 lc rgb red title "BDF2, 4 ms", \
    "" index 1 using 1:2 with lines lw 2 lc rgb blue title "implicit Euler, 1 ms", \
    "" index 3 using 1:2 with lines lw 2 dt 2 lc rgb blue title "implicit Euler, 4 ms"

set output picture("plate")
set title "Free square plate, Poisson's ratio 0.3: eigenvalues (frequency squared) over Ritz' answer"
set xlabel "vertices per side"; set ylabel "measured / exact"
set key right bottom maxrows 6
plot [7:30][0.75:1.02] 1 with lines lc rgb grey notitle, 0.95 with lines dt 3 lc rgb grey title "5 % below", \
    for [k=2:6] file("plate.dat") using 1:k with linespoints pt 7 lc k-1 title sprintf("regular, %d", k-1), \
    for [k=7:11] "" using 1:k with linespoints pt 6 dt 2 lc k-6 title sprintf("irregular, %d", k-6)

set output picture("cylinder")
set title "Sheet of 40 x 40 cells bent to a cylinder: energy over D A / (2 R^2)"
set xlabel "axis turned by, degrees"; set ylabel "measured / exact"
set key right bottom
set xtics 30
plot [0:180][0.86:1.03] 1.015 with lines dt 3 lc rgb grey title "1.5 %", 0.985 with lines dt 3 lc rgb grey notitle, \
    file("cylinder.dat") using 1:2 with lines lw 2 lc rgb blue title "regular", \
    "" using 1:4 with lines lw 2 lc rgb green title "irregular", \
    "" using 1:3 with lines lw 2 lc rgb red title "alternating"
set xtics autofreq

set output picture("discretisation")
set title "Uniaxial pull of an irregular sheet at stretch 1.1: stress over formula"
set style data histograms
set style fill solid 0.8
set xlabel ""; set ylabel "measured / formula"
set yrange [0:1.2]
set xtics ("n = 21, averaged" 0, "least squares" 1, "paper" 2, "n = 41, averaged" 3, "least squares" 4, "paper" 5)
set boxwidth 0.6
plot file("discretisation.dat") using 0:2 with boxes lc rgb blue notitle, 1 with lines lc rgb grey notitle, \
    "" using 0:($2 + 0.04):(sprintf("%.3f", $2)) with labels notitle

set output picture("locking")
set title "Heavy cantilever, G = 3, irregular mesh of 20 cells: tip drop over elastica"
set xlabel "modulus L^2 / D"; set ylabel "measured / exact"
set logscale x; set format x "10^{%T}"
set xtics autofreq
set key left bottom
plot [8e2:1.2e6][0:1.1] file("locking.dat") using 1:2 with linespoints pt 7 lw 2 lc rgb blue title "averaged (default)", \
    "" using 1:3 with linespoints pt 6 lw 2 dt 2 lc rgb green title "least squares", \
    "" using 1:4 with linespoints pt 7 lw 2 lc rgb red title "paper", 1 with lines lc rgb grey notitle

set output picture("slide")
set title "Patch on a slope of tan = 0.5: speed along it; lines: g (sin - mu cos) t"
set xlabel "time, s"; set ylabel "speed, m/s"
unset logscale; set format; set xtics autofreq
set key left top
mu(k) = word("0.6 0.51 0.5 0.49 0.45", k + 1)
coulomb(m, t) = m < 0.5 ? 9.81 * (0.5 - m) / sqrt(1.25) * t : 0
plot [0:1][-0.02:0.5] for [k=0:4] file("slide.dat") index k using 1:2 every 4 with points pt 7 ps 0.5 lc k+1 title "mu = ".mu(k), \
    for [k=0:4] coulomb(real(mu(k)), x) with lines lc k+1 notitle

set output picture("stack")
set title "Stacks at rest, thickness 2 mm, range of the barrier 0.67 mm: mean height of each layer" noenhanced
set xlabel "layer k"; set ylabel "height of the middle surface, mm"
set xtics 1
plot [0.5:6.5][0:17] file("stack.dat") using 2:(1e3 * ($2 - 0.5) * $4):(0):(1e3 * $2 * $5) with vectors nohead lw 8 lc rgb "#dddddd" title "(k - 1/2) xi, and k d_hat above it" noenhanced, \
    for [n in "1 3 6"] "" using ($1 == real(n) ? $2 : 1/0):(1e3 * $3) with linespoints pt 7 title n." layers"
set xtics autofreq
