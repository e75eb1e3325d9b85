-- A debate, and the lease of the process that writes it.
CREATE TABLE debates (
    id text PRIMARY KEY,
    -- Digits that sort by the second in which it began.
    began text NOT NULL,
    -- The time of its first event, once there is a summary.
    created timestamptz,
    -- Counts the claims. A write names the number that it was claimed under, and is refused once that has passed.
    lease bigint NOT NULL DEFAULT 1,
    owner text,
    until timestamptz,
    -- How many events there are.
    events bigint NOT NULL DEFAULT 0,
    -- What lists show, and after how many events it was stored.
    summary text,
    summarized bigint,
    workspace text,
    -- Since when it waits for a worker, or is run by one, and the tools whose seats that worker must fill.
    queued timestamptz,
    seats text[] NOT NULL DEFAULT '{}',
    -- Why no worker could run it.
    problem text
);
CREATE INDEX debates_by_age ON debates (began DESC, created DESC NULLS FIRST, id DESC);
CREATE INDEX debates_in_queue ON debates (queued) WHERE queued IS NOT NULL;

-- The journal: the same lines as in a file, each with the hash of the line before.
CREATE TABLE events (
    debate text NOT NULL REFERENCES debates ON DELETE CASCADE,
    seq bigint NOT NULL,
    lease bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (debate, seq)
);

-- Long texts and pinned workspaces, shared by all debates that refer to them.
CREATE TABLE blobs (
    hash text NOT NULL,
    chunk integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (hash, chunk)
);
CREATE TABLE debate_blobs (
    debate text NOT NULL REFERENCES debates ON DELETE CASCADE,
    hash text NOT NULL,
    chunks integer NOT NULL,
    PRIMARY KEY (debate, hash)
);
CREATE INDEX debate_blobs_by_hash ON debate_blobs (hash);

-- Calls that may have been paid for and whose outcome is not in the journal.
CREATE TABLE calls (
    debate text NOT NULL REFERENCES debates ON DELETE CASCADE,
    key text NOT NULL,
    lease bigint NOT NULL,
    provider text NOT NULL,
    began timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (debate, key)
);
CREATE INDEX calls_by_provider ON calls (provider);

-- Until when a provider that refused a call for its rate limit is left alone.
CREATE TABLE providers (
    name text PRIMARY KEY,
    quiet_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- What is asked of the process that runs a debate. A choice has the key of its step, a request to stop has none.
CREATE TABLE requests (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    debate text NOT NULL REFERENCES debates ON DELETE CASCADE,
    key text,
    request text NOT NULL,
    UNIQUE (debate, key)
);

-- Makes a blob part of a debate before its chunks are written, so that none is removed meanwhile. Gives the chunks that are
-- there already.
CREATE FUNCTION keep_blob(debate_ text, hash_ text, chunks_ integer) RETURNS integer[] LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext(current_schema() || ' blobs'));
    INSERT INTO debate_blobs VALUES (debate_, hash_, chunks_) ON CONFLICT DO NOTHING;
    RETURN ARRAY(SELECT chunk FROM blobs WHERE hash = hash_);
END $$;

-- Removes a debate with the blobs that no other refers to.
CREATE FUNCTION remove_debate(debate_ text, lease_ bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    hashes text[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(current_schema() || ' blobs'));
    hashes := ARRAY(SELECT hash FROM debate_blobs WHERE debate = debate_);
    DELETE FROM debates WHERE id = debate_ AND lease = lease_;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM blobs b WHERE b.hash = ANY (hashes) AND NOT EXISTS (SELECT FROM debate_blobs k WHERE k.hash = b.hash);
    RETURN true;
END $$;

-- Writes the intent of a call down where one more may be made now: `most` to its provider and `overall` to all. Gives null
-- then, else after how many milliseconds to ask again; -1 where the lease has passed.
CREATE FUNCTION begin_call(
    debate_ text, lease_ bigint, key_ text, provider_ text, most bigint, overall bigint, again_ms bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    quiet timestamptz;
BEGIN
    IF overall IS NOT NULL THEN
        -- Calls are counted one at a time.
        INSERT INTO providers (name) VALUES ('') ON CONFLICT DO NOTHING;
        PERFORM FROM providers WHERE name = '' FOR UPDATE;
    END IF;
    IF most IS NOT NULL THEN
        INSERT INTO providers (name) VALUES (provider_) ON CONFLICT DO NOTHING;
        PERFORM FROM providers WHERE name = provider_ FOR UPDATE;
    END IF;
    SELECT quiet_until INTO quiet FROM providers WHERE name = provider_;
    IF quiet > clock_timestamp() THEN
        RETURN greatest(1, ceil(extract(epoch FROM quiet - clock_timestamp()) * 1000));
    END IF;
    -- A process that takes the debate over meanwhile waits for this, and finds the intent.
    PERFORM FROM debates WHERE id = debate_ AND lease = lease_ FOR SHARE;
    IF NOT FOUND THEN
        RETURN -1;
    END IF;
    IF most <= (SELECT count(*) FROM calls_now c WHERE c.provider = provider_ AND NOT (c.debate = debate_ AND c.key = key_))
        OR overall <= (SELECT count(*) FROM calls_now c WHERE NOT (c.debate = debate_ AND c.key = key_))
    THEN
        RETURN again_ms;
    END IF;
    INSERT INTO calls VALUES (debate_, key_, lease_, provider_) ON CONFLICT (debate, key) DO UPDATE SET lease = lease_;
    RETURN NULL;
END $$;

-- Calls of processes that are alive.
CREATE VIEW calls_now AS
    SELECT c.* FROM calls c JOIN debates d ON d.id = c.debate AND d.lease = c.lease AND d.until > clock_timestamp();
