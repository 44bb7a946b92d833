package row

// Table is a table whose rows are copied from one database to another.
type Table struct {
	Name  string
	Order string // of the rows; the same in all databases
}

// Tables are the tables that a move copies, each after those that it refers to. All
// databases have the same columns in them. Sessions, jobs and tries to sign in stay behind.
var Tables = []Table{
	{"project", "number"},
	{"image", "number"},
	{"event", "image, seq"},
	{"users", "number"},
	{"member", `project, "user"`},
	{"identity", "issuer, subject"},
	{"token", "id"},
	{"audit", "number"},
}

// Put takes a row of a table: its columns in the order of their names, each an
// int64, a float64, a string, a []byte or nil. It doesn't keep values.
type Put func(t Table, values []any) error
