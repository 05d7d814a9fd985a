package check

import "mapo/game"

// Is reports whether p's goal is of kind K.
func Is[K game.Goal](p *game.Problem) bool {
	_, is := p.Goal().(K)
	return is
}
