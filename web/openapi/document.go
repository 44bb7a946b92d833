// Package openapi describes an HTTP interface as an OpenAPI 3.1 document. It
// derives schemas from the Go types that are sent and received, so they can't
// be out of date.
package openapi

// Version is the version of OpenAPI that documents are written in.
const Version = "3.1.0"

// Document is an OpenAPI document.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       Info                             `json:"info"`
	Servers    []Server                         `json:"servers,omitempty"`
	Paths      map[string]map[string]*Operation `json:"paths"` // by path, then by method in lower case
	Components Components                       `json:"components"`
	Security   []map[string][]string            `json:"security,omitempty"` // of all operations without their own: one of these
}

// Info says what the document describes.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description,omitempty"`
	License     License `json:"license"`
}

// License is the one that the program comes with.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // SPDX
}

// Server is where the operations are.
type Server struct {
	URL         string `json:"url"` // may be relative to that of the document
	Description string `json:"description,omitempty"`
}

// Components are what operations refer to by name.
type Components struct {
	Schemas   map[string]Schema   `json:"schemas"`
	Responses map[string]Response `json:"responses"`

	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes,omitempty"`
}

// SecurityScheme is a way to say who makes a request.
type SecurityScheme struct {
	Type        string `json:"type"`             // "http" or "apiKey"
	Scheme      string `json:"scheme,omitempty"` // of http
	In          string `json:"in,omitempty"`     // of apiKey
	Name        string `json:"name,omitempty"`
	Description string `json:"description"`
}

// Operation is one method of one path.
type Operation struct {
	OperationID string              `json:"operationId"`
	Summary     string              `json:"summary"`
	Description string              `json:"description,omitempty"`
	Parameters  []Parameter         `json:"parameters,omitempty"`
	RequestBody *Body               `json:"requestBody,omitempty"`
	Responses   map[string]Response `json:"responses"` // by status

	Security *[]map[string][]string `json:"security,omitempty"` // an empty list: open to everybody
}

// Parameter is a value in the path or the query.
type Parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"` // "path" or "query"
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description"`
	Schema      Schema `json:"schema"`
}

// Body is what a request carries.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"` // by media type
}

// Response is a response: a reference or a description.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]Media `json:"content,omitempty"` // by media type
}

// Media is a body in one media type.
type Media struct {
	Schema Schema `json:"schema"`
}
