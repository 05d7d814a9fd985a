package wire

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mapo/game/play"
	"mapo/record"
)

// Done says what a decision has done.
func (in *DecisionRequest) Done() string {
	switch in.Decision {
	case "accept":
		return fmt.Sprintf("Proposal %d is accepted; the next version of the table has it.", in.Proposal)
	case "reject":
		return fmt.Sprintf("Proposal %d is rejected.", in.Proposal)
	}
	return fmt.Sprintf("The games of %s count from the next version of the table on.", in.Client)
}

// Write lists what waits for a decision.
func (r *Review) Write(w io.Writer, policy string) {
	fmt.Fprintf(w, "%s: ", policy)
	if r.Built == nil {
		fmt.Fprintf(w, "no version of the table was built yet\n")
	} else {
		fmt.Fprintf(w, "version %d of the table, from %s, built %s\n", r.Version, record.Counted(r.Games, "game"), r.Built.Format(time.DateTime))
	}
	if len(r.Proposals)+len(r.SetAside) == 0 {
		fmt.Fprintf(w, "Nothing waits for a decision.\n")
	}
	if len(r.Proposals) > 0 {
		fmt.Fprintf(w, "Proposals, the oldest first:\n")
	}
	for _, p := range r.Proposals {
		fmt.Fprintf(w, "  %-4d %-8s %s%s\n", p.ID, p.Kind, p.Text, p.about())
	}
	if len(r.SetAside) > 0 {
		fmt.Fprintf(w, "Clients whose games are set aside:\n")
	}
	for _, a := range r.SetAside {
		fmt.Fprintf(w, "  %s  %d games since %s; their median log-likelihood is %.2f, and 99 %% of the others are above %.2f\n", a.Client, a.Games, a.Since.Format(time.DateOnly), a.Median, a.Quantile)
	}
}

// about says what helps to decide.
func (p *ProposalView) about() string {
	var parts []string
	switch {
	case p.Kind == "object":
		parts = append(parts, record.Counted(p.Games, "game"))
	case p.Truth != "" && p.Answer.Answer != play.DontKnow:
		parts = append(parts, p.Answer.String()+" for "+p.Truth)
	}
	if len(p.Similar) > 0 {
		parts = append(parts, "the table has "+strings.Join(p.Similar, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, "; ") + ")"
}
