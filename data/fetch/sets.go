package fetch

import (
	"path/filepath"
	"strings"

	"mapo/data/dataset"
)

// Set is a published dataset.
type Set struct {
	Name   string // what mapo data fetch calls it
	Terms  string // shown before anything is fetched
	Folder string // under the cache folder; "": the cache folder itself
	Files  []File
	Use    string // how a spec names it
}

// Sets returns the datasets that can be fetched, in the order they are listed. The
// addresses are the publishers'. Sizes and hashes of Jester are those that two
// others report of copies made in 2025 and 2026; 20 Questions' are not known and
// recorded when it is first fetched.
func Sets() []Set {
	return []Set{jester(), twentyQ()}
}

// jester returns the set of parts 1 and 2, in which users rated 36 or more jokes;
// no one in part 3 rated all.
func jester() Set {
	s := Set{
		Name: "jester",
		Terms: `Jester, dataset 1, parts 1 and 2: anonymous ratings of 100 jokes, by users of the Jester Online Joke
Recommender System, 1999 to 2003 (Ken Goldberg, AUTOLab, UC Berkeley; https://eigentaste.berkeley.edu/dataset/).
"Freely available for research use when acknowledged with the following reference: Eigentaste: A Constant Time
Collaborative Filtering Algorithm. Ken Goldberg, Theresa Roeder, Dhruv Gupta, and Chris Perkins. Information
Retrieval, 4(2), 133-151. July 2001." The authors like to be told of its use.
`,
		Use: "problem: {jester: {file: [jester_dataset_1_1.zip, jester_dataset_1_2.zip], clusters: 10, seed: 1}}",
	}
	for _, f := range []File{
		{Name: "jester_dataset_1_1.zip", Size: 4171628, SHA256: "cb7841756ded125b15f3d95c9f8241224065e96354c132a46ae4214deeab7615"},
		{Name: "jester_dataset_1_2.zip", Size: 3924205, SHA256: "4d312fd824d8c8cb2c9c952a7b1fb7c00d1f5fd3ece370f7285aa701d371748b"},
	} {
		f.URLs = []string{"https://eigentaste.berkeley.edu/dataset/" + f.Name, "https://eigentaste.berkeley.edu/dataset/archive/" + f.Name}
		f.Check = func(path string) error {
			_, err := dataset.ReadJester(path)
			return err
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// twentyQ returns the release of Hu et al. 2018 (EMNLP), at the commits that last
// changed each file.
func twentyQ() Set {
	s := Set{
		Name:   "twentyq",
		Folder: "twentyq",
		Terms: `20 Questions: how likely people answer yes and no to 500 questions about 1,000 celebrities (in Chinese), by Huang Hu,
Xianchao Wu, Bingfeng Luo, Chongyang Tao, Can Xu, Wei Wu and Zhan Chen (https://github.com/stonyhu/Q20-DeepRL). No licence
is stated; the authors ask that research cites "Playing 20 Question Game with Policy-Based Reinforcement Learning",
EMNLP 2018, pages 3233-3242. Some 12 MB.
`,
		Use: "problem: {twentyq: {folder: twentyq, queries: 100, seed: 1}}",
	}
	const matrices, names = "fe2c30cc4c7e3947a4a98ac604ffbfb26e59b59a", "81f6d6ffe9aff304bf13e128e392d2c395e14ec7"
	for _, f := range [][2]string{
		{"rightProb.people1000.question500.txt", matrices}, {"wrongProb.people1000.question500.txt", matrices},
		{"action2qid.question500.txt", matrices}, {"qid2name.txt", names}, {"pid2name.txt", names},
	} {
		s.Files = append(s.Files, File{
			Name:  f[0],
			URLs:  []string{"https://raw.githubusercontent.com/stonyhu/Q20-DeepRL/" + f[1] + "/data/" + f[0]},
			Check: dataset.CheckTwentyQ,
		})
	}
	return s
}

// From returns the set from another address that has the same files under their names.
func (s Set) From(address string) Set {
	files := make([]File, len(s.Files))
	for i, f := range s.Files {
		f.URLs = []string{strings.TrimRight(address, "/") + "/" + f.Name}
		files[i] = f
	}
	s.Files = files
	return s
}

// In returns the folder the set goes to, under cache.
func (s Set) In(cache string) string { return filepath.Join(cache, s.Folder) }
