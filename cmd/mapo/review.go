package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mapo/internal/console"
	"mapo/serve/database"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// reviewed holds the flags of `mapo table review`.
type reviewed struct {
	policy, as string
	yes, no    []string
}

func reviewCommand() *cobra.Command {
	var r reviewed
	c := &cobra.Command{
		Use:   "review [DB] [accept N | reject N | restore CLIENT]",
		Short: "Decide about the objects and questions that players propose",
		Long: `review lists what waits for a decision in a database of sessions: objects and questions that players
propose, and clients whose games are set aside. DB is what mapo serve was given by --db; without it, what
MAPO_DB says, else the file that mapo serve keeps without --db. The server may run meanwhile, and takes a
decision up with its next version of the table.

accept N adds proposal N to the table. --as gives it another name, which the table may have; --yes and --no
give known answers to a question. reject N discards it. restore CLIENT counts a client's games again.`,
		Args: args(cobra.MaximumNArgs(3)),
		RunE: func(c *cobra.Command, list []string) error { return r.decide(c, list) },
	}
	f := c.Flags()
	f.StringVar(&r.policy, "policy", "", "the policy's id; may be left out where the database has one")
	f.StringVar(&r.as, "as", "", "accept it by this name")
	f.StringSliceVar(&r.yes, "yes", nil, "objects for which the answer to an accepted question is yes, with commas between")
	f.StringSliceVar(&r.no, "no", nil, "objects for which the answer is \"no\"")
	return c
}

// decisions are the words that decide, and what each is followed by.
var decisions = map[string]string{"accept": "the number of a proposal", "reject": "the number of a proposal", "restore": "a client"}

// decide does `mapo table review`.
func (r *reviewed) decide(c *cobra.Command, list []string) error {
	db := os.Getenv(envDB)
	if len(list) > 0 && decisions[list[0]] == "" {
		db, list = list[0], list[1:]
	}
	if db == "" {
		db = database.DefaultFile
	}
	db = database.Kept(db)
	request, err := r.request(c, list)
	if err != nil {
		return err
	}
	store, err := openSessions(c.Context(), db)
	if err != nil {
		return err
	}
	return errors.Join(r.review(c, store, db, request), store.Close())
}

// request returns the decision that the words after the database are, nil where there is none.
func (r *reviewed) request(c *cobra.Command, list []string) (*wire.DecisionRequest, error) {
	in := &wire.DecisionRequest{As: r.as, Yes: r.yes, No: r.no}
	if (len(list) == 0 || list[0] != "accept") && (in.As != "" || len(in.Yes)+len(in.No) > 0) {
		return nil, hint(c, errors.New("--as, --yes and --no are for accept N"))
	}
	if len(list) == 0 {
		return nil, nil
	}
	in.Decision = list[0]
	switch what := decisions[in.Decision]; {
	case what == "":
		return nil, hint(c, fmt.Errorf("%q is not a decision; use accept N, reject N or restore CLIENT", in.Decision))
	case len(list) != 2:
		return nil, hint(c, fmt.Errorf("%s needs %s", in.Decision, what))
	case in.Decision == "restore":
		in.Client = list[1]
		return in, nil
	}
	id, err := strconv.ParseInt(list[1], 10, 64)
	if err != nil || id < 1 {
		return nil, fmt.Errorf("%s: the proposal is %q; it must be a number that mapo table review lists", in.Decision, list[1])
	}
	in.Proposal = id
	return in, nil
}

// openSessions opens a database of sessions that exists. Errors do not repeat a password.
func openSessions(ctx context.Context, db string) (database.Store, error) {
	if database.IsPostgres(db) {
		return database.OpenPostgres(ctx, db)
	}
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; name the database that mapo serve was given by --db", db)
	}
	if !database.IsDatabase(db) {
		return nil, fmt.Errorf("%s is not a database; name the one that mapo serve was given by --db", db)
	}
	return database.OpenSQLite(ctx, db)
}

// onePolicy returns the policy that is named, or the only one of a database.
func onePolicy(ctx context.Context, store database.TruthStore, db, name string) (string, error) {
	all, err := store.Policies(ctx)
	switch {
	case err != nil:
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("%s has no game whose truth was told, and no proposal", shownDB(db))
	case name == "" && len(all) > 1:
		return "", fmt.Errorf("%s has several policies; name one by --policy: %s", shownDB(db), strings.Join(all, ", "))
	case name == "":
		return all[0], nil
	case !slices.Contains(all, name):
		return "", fmt.Errorf("--policy is %q; it must be one that %s has: %s", name, shownDB(db), strings.Join(all, ", "))
	}
	return name, nil
}

// shownDB returns a database's name without what may be a password.
func shownDB(db string) string {
	if database.IsPostgres(db) {
		return "the PostgreSQL database"
	}
	return db
}

// review decides where there is a decision, and lists what is left.
func (r *reviewed) review(c *cobra.Command, store database.Store, db string, request *wire.DecisionRequest) error {
	ctx, out := c.Context(), console.Plain(c.OutOrStdout())
	policy, err := onePolicy(ctx, store, db, r.policy)
	if err != nil {
		return err
	}
	if request != nil {
		if err := sessions.Decide(ctx, store, policy, request, nil, time.Now()); err != nil {
			return err
		}
		fmt.Fprintln(out, request.Done())
		return nil
	}
	review, err := sessions.ReviewOf(ctx, store, policy)
	if err != nil {
		return err
	}
	review.Write(out, policy)
	return nil
}
