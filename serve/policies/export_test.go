package policies

// What tests see of the inside.

const DecisionVersion = decisionVersion

var PlayOf = playOf

const MostID = mostID

var HashOf = hashOf
