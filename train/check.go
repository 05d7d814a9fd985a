package train

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/train/optim"
)

// Fault is a setting that no training can have.
type Fault struct {
	Setting string // its yaml key, such as "oracle.refresh"
	What    string // and the remedy
}

func (f *Fault) Error() string { return "train." + f.Setting + " " + f.What }

// Key returns the setting's key, by which a spec finds its line.
func (f *Fault) Key() string { return f.Setting }

// Most a setting may be, where its tag does not say: more than any training has a use for, little enough for
// sums and products to stay numbers.
const (
	mostCount = math.MaxInt32
	mostReal  = 1e9

	mostMemory = 16 << 30 // bytes that N, M or L may ask for
)

// Check reports the first setting that no training can have, as a [*Fault].
func (c *Config) Check() error {
	switch {
	case (c.Oracle == nil) == (c.Paper == nil):
		return &Fault{"oracle", "and train.paper are two algorithms: give one of them"}
	case c.From != "" && c.From != "fresh":
		return &Fault{"from", fmt.Sprintf("is %s, which is no longer part of mapo; leave it out", c.From)}
	case c.policies() != 1:
		return &Fault{"structured", "and train.mlp and train.gated are kinds of policy: give one of them"}
	}
	if err := checkFields("", reflect.ValueOf(*c)); err != nil {
		return err
	}
	switch {
	case c.LambdaBinary == 0:
		return &Fault{"lambda_binary", "is 0, with which no loss would count: set it above 0"}
	case c.leaveOneOut() && c.L < 2:
		return &Fault{"L", fmt.Sprintf("is %d; the estimator loo needs at least 2 rollouts an instance: raise L, or set estimator: paper", c.L)}
	case c.Oracle != nil && !(c.Oracle.Soften > 0 && c.Oracle.Soften <= 1):
		return &Fault{"oracle.soften", fmt.Sprintf("is %v; it must be above 0 and at most 1, which leaves a policy as it was trained", c.Oracle.Soften)}
	}
	return nil
}

// checkFields reports the first field of a block that its tags do not allow. A number is from least, 0 where the tag is missing,
// to most, mostCount or mostReal. A name is one of those known. A list has a number at least.
func checkFields(block string, v reflect.Value) error {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "" || key == "-" {
			key = strings.ToLower(f.Name)
		}
		if x.Kind() == reflect.Pointer && !x.IsNil() {
			if err := checkFields(key+".", x.Elem()); err != nil {
				return err
			}
		}
		if what := wrong(f.Tag, x); what != "" {
			return &Fault{block + key, "is " + what}
		}
	}
	return nil
}

// wrong returns the value of a field, and what its tags allow; "" where they allow the value.
func wrong(tag reflect.StructTag, x reflect.Value) string {
	bound := func(name string, otherwise float64) float64 {
		if v, err := strconv.ParseFloat(tag.Get(name), 64); err == nil {
			return v
		}
		return otherwise
	}
	switch v := x.Interface().(type) {
	case int:
		if low, high := int(bound("least", 0)), int(bound("most", mostCount)); v < low || v > high {
			return fmt.Sprintf("%d; it must be from %d to %d", v, low, high)
		}
	case float64:
		if low, high := bound("least", 0), bound("most", mostReal); !(v >= low && v <= high) {
			return fmt.Sprintf("%v; it must be a number from %g to %g", v, low, high)
		}
	case string:
		if known := strings.Fields(tag.Get("known")); len(known) > 0 && !slices.Contains(known, v) {
			return fmt.Sprintf("%q; known are %s", v, strings.Join(known, ", "))
		}
	case []int:
		low, high := int(bound("least", 0)), int(bound("most", mostCount))
		if len(v) == 0 || slices.Min(v) < low || slices.Max(v) > high {
			return fmt.Sprintf("%v; list at least one width, each from %d to %d, such as [128, 128]", v, low, high)
		}
	}
	return ""
}

// policies returns how many kinds of policy are given.
func (c *Config) policies() (n int) {
	for _, given := range []bool{c.Structured != nil, c.MLP != nil, c.Gated != nil} {
		if given {
			n++
		}
	}
	return n
}

// Suits reports why no training so configured can be for p: a [*Fault], or nil.
func (c *Config) Suits(p *game.Problem) error {
	d := p.Queries()
	size := c.network().size(d)
	switch {
	case c.Structured != nil && d > nn.MaxStructured:
		return &Fault{"structured", fmt.Sprintf("is for at most %d queries, the problem has %d: keep fewer (%s), or set train: {mlp: {}}", nn.MaxStructured, d, p.Goal().Words().Fewer)}
	case size.weights > nn.MostParams:
		return &Fault{size.key, fmt.Sprintf("makes a network of over %d weights, more than a policy file is for: lower it", nn.MostParams)}
	case c.Optimizer == "soap" && size.widest > optim.MostSoap:
		return &Fault{"optimizer", fmt.Sprintf("soap is for layers of at most %d inputs and outputs, one has %d: lower %s, or set optimizer: adam", optim.MostSoap, size.widest, size.key)}
	}
	for _, n := range []struct {
		key      string
		v, bytes int
	}{{"N", c.N, c.algorithm().memory(d)}, {"M", c.M, 24 * d}, {"L", c.L, 4 * p.T * size.kept}} {
		if need := float64(n.v) * float64(n.bytes); need > mostMemory {
			return &Fault{n.key, fmt.Sprintf("is %d, for which training needs some %.0f GiB of memory; %d GiB is the most: lower it", n.v, need/(1<<30), mostMemory>>30)}
		}
	}
	return nil
}
