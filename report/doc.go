// Package report turns the numbers of one run into what a person reads: results.csv, the paper's
// figures as SVG, and report.html, one file that opens offline on a phone or a desk, by day or
// night.
//
// The guided tour: Row is one line of results.csv (WriteCSV). Run is all a report shows; the caller
// fills it, this package computes no estimate of its own. Figures draws it, HTML puts the figures
// under a summary in plain words. Everything shown is a loss: lower is better.
//
// All output is a pure function of its input, byte for byte: no clock, no map order, no identifiers
// that count. The page's figures are drawn by one small renderer (svg.go, chart.go) rather than a
// plotting library, because the same figure is drawn twice, wide and for a phone, and must follow
// the reader's colours.
//
//   - In: a [Run] that the caller fills in.
//   - Out: results.csv, figures and report.html.
//   - It never: computes an estimate of its own, or fetches anything when the page is opened.
package report
