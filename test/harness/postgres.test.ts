import { SQL } from 'bun';
import { afterAll, expect, test } from 'bun:test';
import { createTestDatabase } from './postgres.ts';

const database = await createTestDatabase();
afterAll(() => database.drop());

test('each database is empty, apart from the others, in UTF-8 and sorted by code point', async () => {
  const other = await createTestDatabase();
  const [here, there] = [new SQL(database.url), new SQL(other.url)];
  await here`CREATE TABLE words (word text)`;
  await here`INSERT INTO words VALUES ('a'), ('B'), ('é'), ('Z')`;
  expect(await there`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`.values()).toEqual([]);
  expect((await here`SELECT word FROM words ORDER BY word`.values()).flat()).toEqual(['B', 'Z', 'a', 'é']);
  await there.close();
  await other.drop();
  await here.close();
});

test('a database is dropped although somebody is still connected', async () => {
  const other = await createTestDatabase();
  const connected = new SQL(other.url);
  await connected`SELECT 1`;
  await other.drop();
  const here = new SQL(database.url);
  const name = new URL(other.url).pathname.slice(1);
  expect(await here`SELECT 1 FROM pg_database WHERE datname = ${name}`.values()).toEqual([]);
  await here.close();
  await connected.close().catch(() => {});
});
