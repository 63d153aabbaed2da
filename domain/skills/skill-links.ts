/** The limits of a skill's texts, and the check of its links. */
import { checkLink } from '../check-link.ts';

/** Lengths in code points. */
export const skillNameLengthMax = 60;
export const skillDescriptionLengthMax = 500;
export const skillUrlLengthMax = 300;
export const versionNoteLengthMax = 500;

interface SkillLinks {
  readonly repoUrl: string;
  readonly manifestUrl: string | null;
}

/** @throws DomainError invalid_body for a bad URL */
export function checkSkillLinks({ repoUrl, manifestUrl }: SkillLinks): SkillLinks {
  const lengthMax = skillUrlLengthMax;
  return {
    repoUrl: checkLink({ field: 'repo_url', url: repoUrl, lengthMax }),
    manifestUrl:
      manifestUrl === null ? null : checkLink({ field: 'manifest_url', url: manifestUrl, lengthMax }),
  };
}
