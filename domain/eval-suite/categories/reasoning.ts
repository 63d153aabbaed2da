/** Reasoning: five puzzles, one of each kind, whose answer a solver has proved to be the only one. */
import type { Category } from '../category.ts';
import { spreadDifficulties } from '../language/spread-difficulties.ts';
import { makeKnights } from '../reasoning/make-knights.ts';
import { makeProject } from '../reasoning/make-project.ts';
import { makeRoute } from '../reasoning/make-route.ts';
import { makeSchedule } from '../reasoning/make-schedule.ts';
import { makeTracking } from '../reasoning/make-tracking.ts';

const makers = [makeKnights, makeRoute, makeTracking, makeSchedule, makeProject];

export const category: Category = {
  name: 'reasoning',
  description:
    'Knights and knaves, shortest paths, object tracking, timetables and projects, each with one answer.',
  order: 3,
  weight: 15,
  caseCount: makers.length,
  generate(random) {
    const difficulties = spreadDifficulties(random, makers.length);
    return makers.map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
