import { testModel } from './test-model.ts';

testModel(7);
