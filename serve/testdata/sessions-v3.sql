CREATE TABLE mapo_aside (
		policy TEXT NOT NULL, client TEXT NOT NULL, version BIGINT NOT NULL, games BIGINT NOT NULL, median DOUBLE PRECISION NOT NULL,
		quantile DOUBLE PRECISION NOT NULL, since BIGINT NOT NULL, state TEXT NOT NULL,
		PRIMARY KEY (policy, client));
CREATE TABLE mapo_counts (
		policy TEXT NOT NULL, object BIGINT NOT NULL, question BIGINT NOT NULL, yes BIGINT NOT NULL, no BIGINT NOT NULL,
		PRIMARY KEY (policy, object, question));
CREATE TABLE mapo_games (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, version BIGINT NOT NULL, objects TEXT NOT NULL, proposal BIGINT NOT NULL,
		truth TEXT NOT NULL, recommended TEXT NOT NULL, answers TEXT NOT NULL, client TEXT NOT NULL, capped BIGINT NOT NULL,
		told BIGINT NOT NULL, learned BIGINT NOT NULL, excluded BIGINT NOT NULL);
INSERT INTO "mapo_games" VALUES('x3z7q2we725w7hjy4bnlsddpzy','second',0,'[0]',0,'A','C','[[1,2]]','l',0,1795800014000,0,0);
INSERT INTO "mapo_games" VALUES('qauulyh4fa7gvyvx6fssdsb26i','second',0,'[3]',0,'D','D','[[1,-2],[2,-2],[0,-2],[3,-2]]','l',0,1795800025000,0,0);
CREATE TABLE mapo_keys (day TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE mapo_learning (policy TEXT PRIMARY KEY, changes BIGINT NOT NULL, built BIGINT NOT NULL);
CREATE TABLE mapo_meta (version BIGINT NOT NULL);
INSERT INTO "mapo_meta" VALUES(3);
CREATE TABLE mapo_names (
		policy TEXT NOT NULL, kind TEXT NOT NULL, idx BIGINT NOT NULL, name TEXT NOT NULL, accepted BIGINT NOT NULL, shares TEXT NOT NULL,
		PRIMARY KEY (policy, kind, idx));
INSERT INTO "mapo_names" VALUES('second','object',0,'A',0,'');
INSERT INTO "mapo_names" VALUES('second','object',1,'B',0,'');
INSERT INTO "mapo_names" VALUES('second','object',2,'C',0,'');
INSERT INTO "mapo_names" VALUES('second','object',3,'D',0,'');
INSERT INTO "mapo_names" VALUES('second','question',0,'p?',0,'');
INSERT INTO "mapo_names" VALUES('second','question',1,'q?',0,'');
INSERT INTO "mapo_names" VALUES('second','question',2,'r?',0,'');
INSERT INTO "mapo_names" VALUES('second','question',3,'s?',0,'');
CREATE TABLE mapo_proposals (
		id BIGINT PRIMARY KEY, policy TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, folded TEXT NOT NULL, client TEXT NOT NULL,
		session TEXT NOT NULL, answer BIGINT NOT NULL, created BIGINT NOT NULL, state TEXT NOT NULL, idx BIGINT NOT NULL,
		UNIQUE (policy, kind, folded));
CREATE TABLE mapo_sessions (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, play TEXT NOT NULL, title TEXT NOT NULL, seed BIGINT NOT NULL,
		stop_margin DOUBLE PRECISION NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL,
		stop DOUBLE PRECISION NOT NULL DEFAULT 0, guess BIGINT NOT NULL DEFAULT 0,
		version BIGINT NOT NULL DEFAULT 0, labelling BIGINT NOT NULL DEFAULT 0, truth TEXT NOT NULL DEFAULT '', told BIGINT NOT NULL DEFAULT 0);
INSERT INTO "mapo_sessions" VALUES('xqd2phtseiimm2rl3svzrdqera','second','91d02ce673d3f9bcaf6612408dd49fa7','half way',7,0.0,1795800002000,1795800008000,0.95,0,0,1,'',0);
INSERT INTO "mapo_sessions" VALUES('x3z7q2we725w7hjy4bnlsddpzy','second','91d02ce673d3f9bcaf6612408dd49fa7','told',7,0.0,1795800010000,1795800014000,0.8,0,0,0,'A',1795800014000);
INSERT INTO "mapo_sessions" VALUES('qauulyh4fa7gvyvx6fssdsb26i','second','91d02ce673d3f9bcaf6612408dd49fa7','right',7,0.0,1795800015000,1795800026000,0.95,1,0,0,'D',1795800025000);
INSERT INTO "mapo_sessions" VALUES('a4siwmav7zh5wlz3j3gwumvysm','second','91d02ce673d3f9bcaf6612408dd49fa7','not begun',7,0.0,1795800028000,1795800028000,0.95,0,0,0,'',0);
CREATE TABLE mapo_turns (
		session TEXT NOT NULL, step BIGINT NOT NULL, query BIGINT NOT NULL, text TEXT NOT NULL, probability DOUBLE PRECISION NOT NULL,
		hash TEXT NOT NULL, mask TEXT NOT NULL, asked BIGINT NOT NULL,
		outcome TEXT NOT NULL, answer DOUBLE PRECISION NOT NULL, annotator TEXT NOT NULL, answered BIGINT NOT NULL, undone BIGINT NOT NULL,
		guess BIGINT NOT NULL DEFAULT -1,
		PRIMARY KEY (session, step));
INSERT INTO "mapo_turns" VALUES('xqd2phtseiimm2rl3svzrdqera',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800002000,'answer',0.5,'a',1795800004000,2,-1);
INSERT INTO "mapo_turns" VALUES('xqd2phtseiimm2rl3svzrdqera',2,2,'r?',4.98677074909210205078e-01,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800005000,'undo',0.0,'',1795800006000,0,-1);
INSERT INTO "mapo_turns" VALUES('xqd2phtseiimm2rl3svzrdqera',3,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800007000,'answer',-1.0,'a',1795800008000,0,-1);
INSERT INTO "mapo_turns" VALUES('xqd2phtseiimm2rl3svzrdqera',4,2,'r?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800009000,'',0.0,'',0,0,-1);
INSERT INTO "mapo_turns" VALUES('x3z7q2we725w7hjy4bnlsddpzy',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800010000,'answer',1.0,'a',1795800012000,0,-1);
INSERT INTO "mapo_turns" VALUES('x3z7q2we725w7hjy4bnlsddpzy',2,2,'r?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800013000,'',0.0,'',0,0,-1);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800015000,'answer',-1.0,'a',1795800017000,0,-1);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',2,2,'r?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800018000,'answer',-1.0,'a',1795800019000,0,-1);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',3,0,'p?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800020000,'answer',-1.0,'a',1795800021000,0,-1);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',4,3,'s?',1.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800022000,'answer',-1.0,'a',1795800023000,0,-1);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',5,-1,'D',0.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800024000,'right',0.0,'',1795800026000,0,3);
INSERT INTO "mapo_turns" VALUES('qauulyh4fa7gvyvx6fssdsb26i',6,-1,'',0.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800027000,'',0.0,'',0,0,-1);
INSERT INTO "mapo_turns" VALUES('a4siwmav7zh5wlz3j3gwumvysm',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795800028000,'',0.0,'',0,0,-1);
CREATE TABLE mapo_versions (
		policy TEXT NOT NULL, version BIGINT NOT NULL, base TEXT NOT NULL, built BIGINT NOT NULL, games BIGINT NOT NULL,
		objects BIGINT NOT NULL, questions BIGINT NOT NULL, cells TEXT NOT NULL,
		PRIMARY KEY (policy, version));
CREATE INDEX mapo_sessions_touched ON mapo_sessions (touched);
CREATE INDEX mapo_turns_unanswered ON mapo_turns (asked, session) WHERE step = 1 AND outcome = '';
CREATE INDEX mapo_sessions_version ON mapo_sessions (policy, version) WHERE version > 0 AND told = 0;
CREATE INDEX mapo_games_policy ON mapo_games (policy, client, learned);
CREATE INDEX mapo_games_proposal ON mapo_games (proposal) WHERE proposal > 0;
CREATE INDEX mapo_games_told ON mapo_games (told) WHERE told > 0;
CREATE INDEX mapo_proposals_game ON mapo_proposals (session) WHERE session <> '';
