-- Where the servers keep their files, as people write it; '' before one has said it. So far
-- only the audit log had it, in the details of their starts.
ALTER TABLE installation ADD COLUMN bucket text COLLATE "C" NOT NULL DEFAULT '';
UPDATE installation SET bucket = coalesce((SELECT substring(detail from ', bucket (.*)$') FROM audit WHERE action = 'server.start' ORDER BY number DESC LIMIT 1), '');
