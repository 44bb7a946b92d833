// Package superpixels partitions photographs into small connected regions that
// respect the borders of objects, at every granularity at once, and describes
// the regions and their borders for a random field.
//
// # Method
//
// A gradient watershed followed by size-aware merging:
//
//  1. CIELAB through tables, a 5×5 binomial blur, gradient magnitudes at full,
//     half and quarter resolution.
//  2. Watershed by steepest descent on the full-resolution gradient: thousands
//     of connected basins in O(pixels). A lattice of shallow dishes divides
//     areas without any gradient into equal compact cells.
//  3. The region adjacency graph in two raster passes.
//  4. Merging in order of contrast, damped by texture and weighed by size: a
//     few rounds of near-greedy matching down to three times the default number
//     of regions, then an exact heap down to one. The order of the merges is the
//     hierarchy.
//  5. Three sweeps straighten the borders of the default number of regions: a
//     pixel can move to the neighbouring region that fits it best.
//
// Step 5 and other levels seem to exclude each other, since moving a pixel
// changes regions that were merged before. It works because a pixel moves
// between regions of the finest level, and only where every level stays
// connected. So all levels are nested and connected, and the map of 600 regions
// hardly depends on how fine the finest level is.
//
// Images above 0.6 megapixels (more if very many regions are requested) are
// segmented on a reduced copy; the finest borders then move to where the
// full-size image has them, again without breaking any level.
//
// All results are the same bytes for any number of cores and on any machine.
package superpixels
