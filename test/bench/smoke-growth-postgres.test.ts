import { testGrowth } from './smoke-growth.ts';

testGrowth('postgres', /Postgres \d[\d.]+, fsync/);
