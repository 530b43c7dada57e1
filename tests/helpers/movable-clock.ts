import type postgres from "postgres";

/**
 * Gives a database a clock that can be moved. In new sessions `now()` and `clock_timestamp()` are the server's,
 * shifted; existing sessions are ended. Functions of the schema follow, too, since they name both without a schema.
 */
export async function makeClockMovable(sql: postgres.Sql) {
  await sql`CREATE SCHEMA movable`;
  await sql`CREATE TABLE movable.clock (shift interval NOT NULL)`;
  await sql`INSERT INTO movable.clock VALUES ('0')`;
  for (const [name, volatility] of [
    ["clock_timestamp", "VOLATILE"],
    ["now", "STABLE"],
  ]) {
    await sql.unsafe(`
      CREATE FUNCTION movable.${name}() RETURNS timestamptz LANGUAGE sql ${volatility}
      AS 'SELECT pg_catalog.${name}() + shift FROM movable.clock'`);
  }
  // The schema of the installation is the first of the search_path.
  await sql.unsafe(
    `CREATE FUNCTION movable.current_schema() RETURNS name LANGUAGE sql STABLE AS $$ SELECT 'public'::name $$`,
  );
  // A schema that a role may not use is left out of its search_path without an error: the service has a role of its own.
  await sql`GRANT USAGE ON SCHEMA movable TO PUBLIC`;
  await sql`GRANT SELECT ON movable.clock TO PUBLIC`;
  const [row] = await sql`SELECT current_database() AS name`;
  await sql`ALTER DATABASE ${sql(row?.name)} SET search_path = movable, pg_catalog, public`;
  await sql`
    SELECT set_config('search_path', 'movable, pg_catalog, public', false), (
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid())`;
  return {
    /** Moves the clock by this much, in one step. */
    step: (ms: number) => sql`UPDATE movable.clock SET shift = shift + ${ms} * interval '1 millisecond'`,
    /** Moves the clock to this instant. */
    set: (at: string) => sql`UPDATE movable.clock SET shift = ${at}::timestamptz - pg_catalog.clock_timestamp()`,
    /** The time of the clock, epoch ms. */
    async read(): Promise<number> {
      const [clock] = await sql`SELECT extract(epoch FROM movable.clock_timestamp())::float8 * 1000 AS ms`;
      return clock?.ms;
    },
  };
}
