// Package bench measures what the machine makes of the hot loops: one paper-scale training
// iteration ([Iterations]) against the most that the kernel in use can reach on it ([Peak]), and
// how fast policies play ([Rates]).
//
// Machines are shared and noisy: only ratios of neighbours mean something. So the peak is probed
// around every iteration, and a rate is a median.
//
//   - In: sizes of an iteration, and policies.
//   - Out: seconds, rates and shares of the peak.
//   - It never: compares with another machine or judges a policy.
package bench
