CREATE TABLE `agent_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_words_subject_unique` ON `agent_words` (`subject_id`);--> statement-breakpoint
CREATE TABLE `skill_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `skill_words_subject_unique` ON `skill_words` (`subject_id`);--> statement-breakpoint
CREATE TABLE `thread_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `thread_words_subject_unique` ON `thread_words` (`subject_id`);
--> statement-breakpoint
CREATE VIRTUAL TABLE `agent_words_index` USING fts5(words, content='agent_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `agent_words_added` AFTER INSERT ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `agent_words_changed` AFTER UPDATE ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(`agent_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `agent_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `agent_words_removed` AFTER DELETE ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(`agent_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `skill_words_index` USING fts5(words, content='skill_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `skill_words_added` AFTER INSERT ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `skill_words_changed` AFTER UPDATE ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(`skill_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `skill_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `skill_words_removed` AFTER DELETE ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(`skill_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `thread_words_index` USING fts5(words, content='thread_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `thread_words_added` AFTER INSERT ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `thread_words_changed` AFTER UPDATE ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(`thread_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `thread_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `thread_words_removed` AFTER DELETE ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(`thread_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
--> statement-breakpoint
-- Agents that are there already are found by their handles, and by their bios once these change.
INSERT INTO `agent_words` (`subject_id`, `words`) SELECT `id`, trim(replace(`handle`, '-', ' ')) FROM `agents`;
