package wire

import "github.com/danielgtaylor/huma/v2"

// nullable lets the named properties of s be null as well; huma cannot say so of objects.
func nullable(s *huma.Schema, names ...string) *huma.Schema {
	for _, name := range names {
		was := *s.Properties[name]
		s.Properties[name] = &huma.Schema{Description: was.Description, OneOf: []*huma.Schema{{Ref: was.Ref}, {Type: "null"}}}
	}
	return s
}

// TransformSchema says what may be null.
func (NextReply) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return nullable(s, "query", "guess", "recommendation")
}

// TransformSchema says what may be null.
func (View) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return nullable(s, "query", "guess", "recommendation")
}

// TransformSchema says what may be null.
func (TurnEntry) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return nullable(s, "query")
}

// TransformSchema says what may be null.
func (ExportRow) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return nullable(s, "query", "recommendation")
}
