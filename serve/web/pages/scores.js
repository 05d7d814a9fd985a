// What hypotheses are worth on an instance.

// scores returns the score of each hypothesis of a contract's problem at theta, as the game
// computes it: ⟨z, θ⟩, and where hypotheses are rows of shares less ½‖z‖², with z = 2·share − 1.
export function scores({ z, shares, vectors }, theta) {
  const sum = (term) => theta.reduce((total, t, i) => total + term(t, i), 0);
  if (shares) return shares.yes.map((row) => sum((t, i) => (2 * row[i] - 1) * (t - row[i] + 0.5)));
  if (vectors) return vectors.hypotheses.map((row) => sum((t, i) => row[i] * t));
  return z.map((row) => sum((t, i) => (row[i] === "1" ? t : 0)));
}
