import { testGrowth } from './smoke-growth.ts';

testGrowth('sqlite', /SQLite \d[\d.]+, WAL/);
