// Package judge turns what searches and games show into the numbers that a run is judged by,
// and decides what is looked at again. It has worst-case curves over the levels ([Curve]),
// their benchmarks ([Benchmarks], [Holders], [Unsettled]) and gaps ([Gaps]). It has averages
// over priors ([Averages]), losses on given instances ([Instances]), the levels of a problem
// ([Choice]), how hard a search looks ([Effort]), and the instances of an exact judge
// ([ExactSet]). All but the benchmarks, which training reads, are estimates with intervals.
//
//   - In: searches' worst cases, and policies, priors and instances to play.
//   - Out: curves, benchmarks, gaps, averages, levels and efforts, and the words for them.
//   - It never: trains, or knows a job, a file or a clock: package run carries it out.
package judge
