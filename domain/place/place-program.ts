/** The program of the processes in which work of strangers runs. Each kind of work loads its parts when it first comes. */
import { serveTasks } from '#runtime/place/serve-tasks.ts';
import type { Graded } from '../runs/grading/grade-reply.ts';
import type { CheckTask } from '../suites/perform-check.ts';
import type { PlaceResult, RepliesTask } from './open-place.ts';

serveTasks(async (task: CheckTask | RepliesTask): Promise<() => PlaceResult | Promise<PlaceResult>> => {
  switch (task.kind) {
    case 'check':
    case 'import': {
      const { performCheck } = await import('../suites/perform-check.ts');
      return () => performCheck(task);
    }
    case 'replies': {
      const { gradeReply } = await import('../runs/grading/grade-reply.ts');
      return async () => {
        const graded: Graded[] = [];
        for (const reply of task.replies) graded.push(await gradeReply(reply));
        return graded;
      };
    }
  }
});
