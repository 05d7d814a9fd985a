package database

import "context"

// Policies reads the ids of policies.
func (s *sqlStore) Policies(ctx context.Context) ([]string, error) {
	return all(reading{ctx, s.db}, `SELECT DISTINCT policy FROM mapo_names ORDER BY policy`, nil, scanOne[string])
}

// Untold counts sessions.
func (s *sqlStore) Untold(ctx context.Context, policy string) (u Untold, err error) {
	_, err = one(reading{ctx, s.db}, `SELECT COALESCE(SUM(won), 0), COALESCE(SUM((1 - won) * lost), 0), COALESCE(SUM((1 - won) * (1 - lost)), 0) FROM (
		SELECT MAX(CASE WHEN t.outcome = 'right' THEN 1 ELSE 0 END) AS won, MAX(CASE WHEN t.outcome = 'wrong' THEN 1 ELSE 0 END) AS lost
		FROM mapo_sessions AS s JOIN mapo_turns AS t ON t.session = s.id
		WHERE s.policy = $1 AND s.told = 0 AND s.labelling = 0 AND t.undone = 0 AND t.outcome IN ('answer', 'right', 'wrong') GROUP BY s.id) AS played`, []any{policy}, &u.Right, &u.Wrong, &u.None)
	return u, err
}
