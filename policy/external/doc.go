// Package external plays a policy that is a user's program: one JSON object a line on its standard
// input, one on its standard output.
//
//	policy, err := external.Start(ctx, problem, "python3 my_policy.py", external.Options{Timeout: 30 * time.Second})
//	defer policy.Close()
//	…                                   // play it as any game.Policy
//	err = policy.Err()                  // why what was played does not count
//
// [Start] has the protocol. A command runs with the rights of who started the program, so that only
// the command line may name one: no file that the program reads ever does.
//
//   - In: a problem and a command line of the user.
//   - Out: a policy that is the program.
//   - It never: runs a program that a file names; no other package runs one of a user.
package external
