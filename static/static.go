// Package static holds what browsers are given as it is: ES modules, styles and
// icons. There is no build step; the modules are checked with `npm run check`
// and tested with `npm test` in this folder. Their tests and the settings of
// those two tools are not part of the program.
package static

import "embed"

// FS holds css/, icons/ and modules/ without the tests.
//
//go:embed css/*.css icons/*.svg
//go:embed modules/adjust.js modules/alternatives.js modules/annotate.js modules/api.js modules/app.js modules/area.js
//go:embed modules/borders.js modules/box.js modules/choice.js modules/chrome.js modules/classdelete.js modules/classdrag.js
//go:embed modules/classes.js modules/classlist.js modules/classmenu.js modules/classrow.js modules/closeup.js
//go:embed modules/colour.js modules/commands.js
//go:embed modules/contours.js modules/curve.js modules/detail.js modules/discard.js modules/dom.js modules/dots.js modules/doubt.js
//go:embed modules/drawing.js
//go:embed modules/early.js modules/edges.js modules/evidence.js modules/export.js modules/exportjob.js modules/find.js
//go:embed modules/folders.js modules/folds.js modules/frames.js modules/gallery.js modules/gestures.js
//go:embed modules/granularity.js modules/graph.js modules/heat.js modules/help.js modules/history.js
//go:embed modules/hypotheses.js modules/idmap.js modules/images.js modules/importdialog.js modules/importreport.js
//go:embed modules/imports.js modules/keys.js modules/lines.js modules/load.js
//go:embed modules/marks.js modules/memory.js modules/menu.js modules/minimap.js modules/order.js modules/overlay.js
//go:embed modules/painter.js modules/patience.js modules/patterns.js modules/point.js modules/popup.js modules/post.js
//go:embed modules/problem.js modules/project.js modules/protocol.js modules/pyramid.js modules/queue.js modules/regrain.js
//go:embed modules/remap.js modules/repairs.js modules/sendfile.js modules/session.js modules/shares.js modules/shown.js
//go:embed modules/simplify.js modules/socket.js modules/stage.js modules/start.js modules/status.js modules/steer.js
//go:embed modules/steps.js modules/strip.js modules/strokes.js modules/theme.js modules/thumbnails.js
//go:embed modules/toast.js modules/tones.js modules/tools.js modules/trash.js modules/uncertainty.js
//go:embed modules/upload.js modules/uploads.js modules/view.js
var FS embed.FS
