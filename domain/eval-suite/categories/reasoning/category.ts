import { answerList } from '../../graders/answer-list.ts';
import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import { answerSet } from './answer-set.ts';
import type { Category } from '../../category.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';
import { makeKnights } from './make-knights.ts';
import { makeProject } from './make-project.ts';
import { makeRoute } from './make-route.ts';
import { makeSchedule } from './make-schedule.ts';
import { makeTracking } from './make-tracking.ts';

const makers = [makeKnights, makeRoute, makeTracking, makeSchedule, makeProject];

export const category: Category = {
  name: 'reasoning',
  description:
    'Knights and knaves, shortest paths, object tracking, schedules and projects. Each has exactly one answer.',
  order: 3,
  weight: 15,
  caseCount: makers.length,
  graders: [answerList, answerNumber, answerSet, answerText],
  generate(random) {
    const difficulties = spreadDifficulties(random, makers.length);
    return makers.map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
