package workspace_test

import "collie/storage/workspacetest"

var (
	mustOpenWorkspace = workspacetest.MustOpenOver
	asIs              = workspacetest.AsIs
	mustOpen          = workspacetest.MustOpenImage
	label             = workspacetest.Label
	mustAppend        = workspacetest.MustAppend
)
