// Package static holds what browsers are given as it is: ES modules, styles and
// icons. There is no build step; the modules are checked with `npm run check`
// and tested with `npm test` in this folder. Their tests and the settings of
// those two tools are not part of the program.
package static

import "embed"

// FS holds css/, icons/ and modules/ without the tests.
//
//go:embed css/*.css icons/*.svg
//go:embed modules/alternatives.js modules/annotate.js modules/api.js modules/app.js modules/borders.js modules/box.js modules/choice.js modules/chrome.js
//go:embed modules/classes.js modules/colour.js modules/commands.js modules/contours.js modules/curve.js modules/dom.js modules/dots.js modules/doubt.js modules/early.js
//go:embed modules/evidence.js modules/export.js modules/find.js modules/folds.js modules/frames.js modules/gestures.js modules/granularity.js
//go:embed modules/graph.js modules/heat.js modules/help.js modules/hypotheses.js modules/idmap.js modules/keys.js modules/lines.js
//go:embed modules/load.js modules/marks.js modules/overlay.js modules/painter.js modules/patterns.js modules/popup.js modules/problem.js modules/project.js modules/regrain.js modules/remap.js
//go:embed modules/protocol.js modules/pyramid.js modules/session.js modules/simplify.js modules/socket.js modules/stage.js
//go:embed modules/start.js modules/status.js modules/strip.js modules/theme.js modules/thumbnails.js modules/toast.js
//go:embed modules/area.js modules/classdrag.js modules/classlist.js modules/classmenu.js modules/drawing.js modules/edges.js modules/repairs.js modules/strokes.js modules/tools.js
//go:embed modules/post.js modules/queue.js modules/uncertainty.js modules/upload.js modules/view.js
//go:embed modules/discard.js modules/trash.js
var FS embed.FS
