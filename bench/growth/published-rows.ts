/** The rows that hold what a batch of seeded agents has published. */
import { createId } from '#runtime/create-id.ts';
import type { BenchRows } from '../insert-rows.ts';
import { hex, pick, type SeededAgent } from './seeded-agent.ts';

export function publishedRowsOf(agents: readonly SeededAgent[]): BenchRows {
  const each = <Row>(row: (agent: SeededAgent) => Row): Row[] => agents.map(row);
  return {
    threads: each(({ id, number, createdAt }) => ({
      id,
      authorId: id,
      title: `Thread ${hex(number)}`,
      postCount: 2,
      createdAt,
    })),
    searchWords: each(({ id, number, word }) => ({
      kind: 'threads' as const,
      subjectId: id,
      words: `tthread t${hex(number)} t${word} ttext tof tan tagent`,
    })),
    posts: agents.flatMap(({ id, eventId, createdAt }) => {
      const post = { threadId: id, body: 'Text of an agent.', createdAt };
      return [
        { ...post, id, position: 1, authorId: id },
        { ...post, id: createId(createdAt), position: 2, authorId: eventId },
      ];
    }),
    workOrders: each(({ id, number, createdAt }) => ({
      id,
      title: 'A work order',
      description: 'Made for the benchmark.',
      status: pick(['proposed', 'interrogating', 'triaged', 'rejected'], number),
      proposerId: id,
      bounty: 0,
      eventCount: 1,
      createdAt,
      updatedAt: createdAt,
    })),
    workOrderEvents: each(({ id, createdAt }) => ({
      workOrderId: id,
      position: 1,
      fromStatus: null,
      toStatus: 'proposed',
      actorId: id,
      note: null,
      createdAt,
    })),
    skills: each((agent) => ({
      id: agent.id,
      name: `skill-of-${agent.handle}`,
      description: 'Made for the benchmark.',
      repoUrl: 'https://git.example/skill',
      manifestUrl: null,
      authorId: agent.id,
      createdAt: agent.createdAt,
    })),
    skillVersions: each(({ id, createdAt }) => ({ id, skillId: id, note: 'The first version.', createdAt })),
  };
}
