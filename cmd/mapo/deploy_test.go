package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"mapo/internal/suite"
	"mapo/run/runtest"
)

// deployed are the files of deploy/ by their names.
func deployed(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir("../../deploy")
	if err != nil || len(entries) < 5 {
		t.Fatalf("%v, %v", entries, err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join("../../deploy", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

var (
	callOf = regexp.MustCompile(`\bmapo (?:run|step|worker|cancel)\b[^'|;&\n]*`)
	argsOf = regexp.MustCompile(`args: \[(.*)\]`)
)

// TestDeployed: commands and flags in the files of deploy/ exist, and docs/scale.md names every file.
func TestDeployed(t *testing.T) {
	doc, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for name, text := range deployed(t) {
		if !strings.Contains(string(doc), "deploy/"+name) {
			t.Errorf("docs/scale.md does not name deploy/%s", name)
		}
		found := callOf.FindAllString(text, -1)
		for _, m := range argsOf.FindAllStringSubmatch(text, -1) {
			found = append(found, "mapo "+strings.ReplaceAll(m[1], ",", ""))
		}
		for _, call := range found {
			faults, _ := flagFaults(command(), "`"+call+"`")
			for _, fault := range faults {
				t.Errorf("deploy/%s: %s: %s", name, call, fault)
			}
			calls++
		}
	}
	if calls < 8 {
		t.Errorf("only %d commands were found", calls)
	}
}

// TestManifests: what is for Kubernetes is YAML of the kind it is meant to be, and runs the image's command.
func TestManifests(t *testing.T) {
	for name, kind := range map[string]string{"worker.yaml": "Deployment", "step.yaml": "Job"} {
		var m struct {
			Kind string
			Spec struct {
				Selector struct {
					MatchLabels map[string]string `yaml:"matchLabels"`
				}
				Template struct {
					Metadata struct{ Labels map[string]string }
					Spec     struct {
						Containers []struct {
							Args         []string
							VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
						}
						Volumes         []struct{ Name string }
						Grace           int `yaml:"terminationGracePeriodSeconds"`
						SecurityContext struct {
							FSGroup int `yaml:"fsGroup"`
						} `yaml:"securityContext"`
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(deployed(t)[name]), &m); err != nil {
			t.Fatalf("deploy/%s: %v", name, err)
		}
		pod := m.Spec.Template.Spec
		if m.Kind != kind || len(pod.Containers) != 1 || child(command(), pod.Containers[0].Args[0]) == nil {
			t.Errorf("deploy/%s: %+v", name, m)
			continue
		}
		if pod.Containers[0].VolumeMounts[0].Name != pod.Volumes[0].Name {
			t.Errorf("deploy/%s mounts %v of %v", name, pod.Containers[0].VolumeMounts, pod.Volumes)
		}
		// The image's user owns no volume, and jobs save checkpoints as they are told to stop.
		user := deployed(t)["Dockerfile"]
		if group := pod.SecurityContext.FSGroup; group == 0 || !strings.Contains(user, fmt.Sprintf("\nUSER %d:%d\n", group, group)) {
			t.Errorf("deploy/%s: files are of group %d, which is not the image's", name, group)
		}
		if pod.Grace < 90 {
			t.Errorf("deploy/%s: jobs have %d s to save checkpoints, want 90", name, pod.Grace)
		}
		for key, value := range m.Spec.Selector.MatchLabels {
			if m.Spec.Template.Metadata.Labels[key] != value {
				t.Errorf("deploy/%s selects %s=%s, which its pods are not", name, key, value)
			}
		}
	}
}

// TestDockerfile runs the build step of the image here, and compares what it makes with what the image copies.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	suite.Long(t, "builds the programs as the image has them")
	text := deployed(t)["Dockerfile"]
	build := regexp.MustCompile(`(?m)^RUN (.*go build -o )/out/( .*)$`).FindStringSubmatch(text)
	if build == nil {
		t.Fatal("no build step in deploy/Dockerfile")
	}
	out := t.TempDir()
	cmd := exec.Command("sh", "-c", build[1]+out+"/"+build[2])
	cmd.Dir = "../.."
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, m := range regexp.MustCompile(`/out/(\S+)`).FindAllStringSubmatch(text[strings.LastIndex(text, "FROM"):], -1) {
		said, err := exec.Command(filepath.Join(out, m[1]), "--help").CombinedOutput()
		if err != nil || !strings.Contains(string(said), "mapo") {
			t.Errorf("%s: %v\n%s", m[1], err, said)
		}
	}
	if !strings.Contains(text, `ENTRYPOINT ["/mapo"]`) {
		t.Error("the image does not start mapo")
	}
}

// sbatch is Slurm's, as far as the scripts use it: it does the jobs of the array one after another, in this machine's
// processes. It notes each call in the file calls. SBATCH=refuse fails, SBATCH=idle does nothing and reports success.
const sbatch = `#!/bin/sh
echo "$@" >>calls
case ${SBATCH:-} in refuse) exit 1 ;; idle) exit 0 ;; esac
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) last=${1#--array=1-} ;;
    --wrap) wrap=$2 ;;
  esac
  shift
done
worst=0
for i in $(seq "$last"); do
  SLURM_ARRAY_TASK_ID=$i sh -c "$wrap" || worst=1
done
exit $worst
`

// TestRounds carries a run out by deploy/rounds.sh on a Slurm of this test's: the bytes are those of mapo run. Where
// sbatch fails, a round makes no progress or no list can be made it stops at once, and mapo run is not begun.
func TestRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program a few dozen times")
	}
	script, err := filepath.Abs("../../deploy/rounds.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"spec.yaml": small, "bad.yaml": "problem: none\n", "bin/sbatch": sbatch} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	rounds := func(how string, args ...string) (said string, calls int, err error) {
		cmd := exec.Command("sh", append([]string{script}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SBATCH="+how)
		out, err := cmd.CombinedOutput()
		made, _ := os.ReadFile(filepath.Join(dir, "calls")) // missing: none
		_ = os.Remove(filepath.Join(dir, "calls"))
		return string(out), strings.Count(string(made), "\n"), err
	}
	if said, calls, err := rounds("", "spec.yaml", "the store", "--checkpoint-every", "1h"); err != nil || calls < 5 {
		t.Fatalf("%d rounds, %v\n%s", calls, err, said)
	}
	whole := exec.Command("mapo", "run", "spec.yaml", "--out", "whole")
	whole.Dir = dir
	if said, err := whole.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	runtest.Same(t, "rounds", runtest.Left(t, runs[0]), runtest.Left(t, filepath.Join(dir, "whole")))

	for _, c := range []struct {
		how, spec, want string
		calls           int
	}{
		{"refuse", "spec.yaml", "sbatch, or a job of the round, failed", 1},
		{"idle", "spec.yaml", "no job of the last round ended", 1},
		{"", "bad.yaml", "bad.yaml", 0},
	} {
		said, calls, err := rounds(c.how, c.spec, "other", "--checkpoint-every", "1h")
		if err == nil || !strings.Contains(said, c.want) || calls != c.calls {
			t.Errorf("%q %s: %v after %d rounds\n%s", c.how, c.spec, err, calls, said)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"bad.yaml", "bin", "other", "runs", "spec.yaml", "the store", "whole"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q: a run that stopped early, or a list of jobs, is among them", left, want)
	}
}
