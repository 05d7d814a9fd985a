// Package mapo decides which question to ask next. It is the front door: read a table of hypotheses
// × queries or make one in memory, play it at once or learn a policy for it, play a game question
// by question, and measure a worst case.
//
//	table, err := mapo.ReadTable("animals.csv")
//	policy, err := table.Policy()                        // without training,
//	policy, err = table.With(own)                        // with a policy of your own,
//	policy, err = mapo.Learn(ctx, table, mapo.Options{}) // or with training
//	game := policy.Play(seed)
//	for game.Next() {
//		game.Answer(ask(game.Question()))
//	}
//	fmt.Println(game.Best())
//
// Everything that it does is made of public packages: mapo/game (Section 2 of the paper),
// mapo/adversary, mapo/train and mapo/judge (Section 3), mapo/policy/rival (what asks without
// training), mapo/run (Algorithm 1) and mapo/data/table.
//
//   - In: a table from a file or from memory, a policy file, or a policy of your own.
//   - Out: games question by question, learned policies, worst cases with intervals.
//   - It never: prints, or keeps anything on a disk but where it is asked to.
package mapo
