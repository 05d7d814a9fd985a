package web

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/serve/dbtest"
)

// TestTwoLearners: two servers on one PostgreSQL, also through PgBouncer, learn one table. Truths told at one are
// served by the other within a minute, and each version is built once.
func TestTwoLearners(t *testing.T) {
	long(t)
	for name, dsn := range map[string]func(testing.TB) string{"postgres": dbtest.PostgresDSN, "pgbouncer": dbtest.BouncerDSN} {
		t.Run(name, func(t *testing.T) {
			bin, db := mapoProgram(t), dsn(t)
			table, who := shortCross(t)
			policy := idOf(table)
			var servers [2]*process
			for i := range servers {
				servers[i] = newProcess(t, bin, db, table, "--learn", "--learn-every", "1", "--stop", "off", "--rate", "0", "--trusted-proxy", proxyNetwork)
				servers[i].start()
			}
			s := newSchool(servers[0].addr, policy, who, nil, 40, 1, 8, 1)
			crowd(t, servers[0].addr, 4, 40, func(v *visitor, i int) error { return s.game(v, i) })
			told := time.Now()
			first := settled(t, servers[0], policy, 40)
			took := time.Since(told)
			second := settled(t, servers[1], policy, 40)
			t.Logf("the first serves it %v after the last truth, the second %v", took.Round(time.Millisecond), time.Since(told).Round(time.Millisecond))
			if took := time.Since(told); took > time.Minute {
				t.Errorf("the second server follows after %v", took)
			}
			if !bytes.Equal(first.sharesBytes(), second.sharesBytes()) || first.Version != second.Version {
				t.Errorf("the servers serve versions %d and %d", first.Version, second.Version)
			}
			conn := besideDB(t, db)
			if newest, kept := count(t, conn, "SELECT MAX(version) FROM mapo_versions"), count(t, conn, "SELECT COUNT(*) FROM mapo_versions WHERE version > 0"); newest != kept || newest != first.Version {
				t.Errorf("versions up to %d, %d of them kept; %d is served", newest, kept, first.Version)
			}
			for i, p := range servers {
				must(t, p.cmd.Process.Signal(syscall.SIGTERM))
				if err := p.cmd.Wait(); err != nil {
					t.Errorf("server %d ends with %v", i, err)
				}
				p.cmd = nil
				for line := range strings.Lines(p.log.String()) {
					if strings.Contains(line, "ERROR") || strings.Contains(line, "panic") {
						t.Errorf("server %d logs %s", i, line)
					}
				}
			}
		})
	}
}
