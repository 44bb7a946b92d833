// Package superpixels partitions photographs into small regions that respect
// object borders: gradient watershed, then size-aware merging.
package superpixels
