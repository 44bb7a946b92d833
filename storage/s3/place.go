package s3

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Place says where a bucket is.
type Place struct {
	Bucket   string
	Prefix   string // empty, or ends with a slash
	Endpoint string // host, or host and port
	Region   string // empty: the bucket is asked
	Secure   bool   // TLS
}

// amazon is the endpoint when the address names none.
const amazon = "s3.amazonaws.com"

// bucketPattern matches the names that every server accepts.
var bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// prefixPattern matches prefixes without their last slash.
var prefixPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)

// ParsePlace reads an address like
// s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION, where only the
// bucket is required. Passwords have no place in it, because other users can see
// the command line.
func ParsePlace(address string) (Place, error) {
	const form = "write it like s3://BUCKET?endpoint=https://HOST:PORT&region=REGION"
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" {
		return Place{}, fmt.Errorf("this is not the address of a bucket; %s", form)
	}
	if u.User != nil {
		return Place{}, fmt.Errorf("the address of a bucket can't contain keys, which others could see; put them into the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	p := Place{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Endpoint: amazon, Secure: true}
	if !bucketPattern.MatchString(p.Bucket) {
		return Place{}, fmt.Errorf("%q is not the name of a bucket, which has 3 to 63 lower-case letters, digits, dots and hyphens; %s", p.Bucket, form)
	}
	if p.Prefix != "" {
		if !prefixPattern.MatchString(p.Prefix) {
			return Place{}, fmt.Errorf("%q can't start the names in a bucket: use letters, digits, hyphens and underscores, separated by slashes", p.Prefix)
		}
		p.Prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Place{}, fmt.Errorf("the part after ? in the address of the bucket can't be read; %s", form)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if len(values) != 1 {
			return Place{}, fmt.Errorf("%s appears %d times in the address of the bucket", name, len(values))
		}
		switch name {
		case "region":
			p.Region = values[0]
		case "endpoint":
			e, err := url.Parse(values[0])
			if err != nil || e.Host == "" || e.Scheme != "https" && e.Scheme != "http" || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.User != nil {
				return Place{}, fmt.Errorf("%q is not the endpoint of an S3 server; write it like https://HOST:PORT", values[0])
			}
			p.Endpoint, p.Secure = e.Host, e.Scheme == "https"
		default:
			return Place{}, fmt.Errorf("the address of a bucket has no %q; it has endpoint and region", name)
		}
	}
	return p, nil
}

// String is the bucket for people.
func (p Place) String() string {
	return "s3://" + strings.TrimSuffix(p.Bucket+"/"+p.Prefix, "/") + " at " + p.Endpoint
}
