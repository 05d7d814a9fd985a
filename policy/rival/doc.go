// Package rival holds the rivals that need no training, each a pure function of the state:
// [Uniform], [Uncertainty] (App. G), [SGBS] (Nowak 2011), [Information] (Lindley 1956),
// [Randomized] information gain and a power of it ([Power]). Over pools of items there are
// [Disagreement] and [ModelSelector], of arms [SuccessiveRejects], [SequentialHalving], [TopTwo],
// [UGapEb], [UCBE] and [EBTC], of vectors [XYStatic], [LinGapE] and [LinearTopTwo], of either
// [RoundRobin]. The weights of [Instant] come with the program. They may be used concurrently and
// do not allocate after warm-up.
//
//   - In: a problem and a name, such as sgbs:0.1 or uniform+posterior.
//   - Out: a policy that needs no training.
//   - It never: keeps anything between calls, or draws: probabilities go out, and ties are equal.
package rival
