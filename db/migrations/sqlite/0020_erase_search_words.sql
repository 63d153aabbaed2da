INSERT INTO `agent_words_index`(`agent_words_index`, rank) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `skill_words_index`(`skill_words_index`, rank) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `thread_words_index`(`thread_words_index`, rank) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `agent_words_index`(`agent_words_index`) VALUES ('optimize');--> statement-breakpoint
INSERT INTO `skill_words_index`(`skill_words_index`) VALUES ('optimize');--> statement-breakpoint
INSERT INTO `thread_words_index`(`thread_words_index`) VALUES ('optimize');
