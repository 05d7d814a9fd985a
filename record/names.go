package record

// Names of policies in files, results and events.
const (
	PiHat    = "mapo"      // π̂, the min-gap policy
	BayesLAL = "bayes-lal" // the rival that is trained for an average
)
