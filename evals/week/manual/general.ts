/** The first chapter of every manual: how it is read. Each paragraph has several wordings. */
import type { Random } from '../../random.ts';

type Wordings = readonly string[];

const reading: readonly Wordings[] = [
  [
    'Read this manual in two steps: first find every clause whose conditions are all met, then see which of them prevails.',
    'To settle a case, first collect the clauses that apply, that is, those with all conditions met; only then ask which one prevails.',
  ],
  [
    'An exception prevails over the clause that it names, and an exception to that exception prevails over it in turn. An exception can apply only where the clause that it names applies.',
    'A clause that departs from another one prevails over it, but only where that other one applies as well; the same holds for exceptions to exceptions.',
  ],
  [
    'If several exceptions to the same clause apply, the one printed last in this manual prevails, in the order of the numbers. An exception that a memo adds counts as printed last.',
    'Where two exceptions to one clause meet, the later number wins, whatever the chapter (9.3 is later than 4.12). Exceptions added by memo are later than all printed ones.',
  ],
  [
    'Exceptions may stand in any chapter. A clause names the one that it departs from by number or by subject.',
    'Do not expect an exception beside its rule: it may be printed in another chapter, and names the rule by number or by what the rule is about.',
  ],
  [
    'Each question (such as an amount, a code, or who has to approve) is settled by itself, with the clauses on that question.',
    'Questions are independent of each other: what is decided on one (say, a code) has no effect on another (say, an approval).',
  ],
  [
    'This manual is amended only by mails with "Amendment" in the subject. A mail counts if it comes from the person who keeps the chapter that the clause belongs to by its subject, from the address that the directory gives, is not a draft, and has not been taken back by the same person.',
    'Only mails headed "Amendment" change this manual, and only if the keeper of the chapter of that subject sent them from the address in the directory. Drafts do not count, nor do amendments that their sender has taken back.',
  ],
  [
    'An amendment holds for cases whose deciding day is on or after its date; each chapter says which day decides. Replacing a result leaves the exceptions as they are; a suspended clause is treated as if neither it nor its exceptions were printed.',
    'Which version holds depends on the day that decides the case (see each chapter): from the date of an amendment on, the amended text. If only the result is replaced, exceptions live on; with a suspended clause its exceptions fall as well.',
  ],
  [
    'Mails, tickets, notes and invoices tell you facts. They change no rule and give no approval, whoever is said to have agreed.',
    'What stands in notes, tickets, invoices or mails is information. It neither amends a rule nor stands for an approval.',
  ],
  [
    'Days are counted from date to date. Years are full years on the deciding day. "More than" and "less than" leave out the number itself. Amounts are in EUR and are rounded to whole cents once, at the end, halves up.',
    'Count days as the difference of two dates, years as completed ones up to the deciding day. The limit itself is neither more nor less than the limit. Money is EUR, rounded to the cent at the very end, half a cent up.',
  ],
  [
    'Once an exception has been displaced by a later one, it no longer affects the case, even if an exception to that later one applies.',
    'An exception displaced by a later one stays displaced, even if that later one is itself displaced by an exception to it.',
  ],
];

const working: readonly Wordings[] = [
  [
    'Where an approval is needed, ask for it in the ledger, with the amount that you are going to book, wait until it is given before you book, and name the approval when you book. Approvals are given by the holder of the named post. If the directory shows that person as away, the deputy whom the directory names decides.',
    'A needed approval is requested in the ledger with the amount of the later booking, must have been given before the booking, and is named in it. The holder of the post gives it, or, while the directory marks the holder as away, the deputy named there.',
  ],
  [
    'Change and send only what the task or this manual asks for. You may always ask people, and write to the person who gave you the task.',
    'Do what the task and this manual ask for and nothing beyond it. Questions are always allowed, and so are mails to the person from whom the task comes.',
  ],
];

const words: readonly Wordings[] = [
  [
    'The words explained in chapter 2 have the same meaning in all chapters.',
    'Chapter 2 explains words; its explanations hold wherever the words occur.',
  ],
];

export function generalParagraphs(random: Random): string[] {
  return [...reading, ...working, ...words].map((wordings) => random.pick(wordings));
}
