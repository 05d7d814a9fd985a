CREATE TABLE mapo_meta (version BIGINT NOT NULL);
INSERT INTO "mapo_meta" VALUES(1);
CREATE TABLE mapo_sessions (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, play TEXT NOT NULL, title TEXT NOT NULL, seed BIGINT NOT NULL,
		stop_margin DOUBLE PRECISION NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL);
INSERT INTO "mapo_sessions" VALUES('ja7vna3lgu2dymj5k5zbnebn6m','thresholds','603b4f8a8cfa0aeb9ba5ead8eeb6df01','half way',1,0.0,1795721768281,1795721768287);
INSERT INTO "mapo_sessions" VALUES('rdv5bv3iqovpijbeeblzmzr4h4','thresholds','603b4f8a8cfa0aeb9ba5ead8eeb6df01','taken back',2,2.5,1795721768291,1795721768294);
INSERT INTO "mapo_sessions" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e','thresholds','603b4f8a8cfa0aeb9ba5ead8eeb6df01','done',3,0.0,1795721768295,1795721768302);
INSERT INTO "mapo_sessions" VALUES('zs27tjuiitpojko6uk54wm6j7u','thresholds','603b4f8a8cfa0aeb9ba5ead8eeb6df01','not begun',4,0.0,1795721768303,1795721768303);
CREATE TABLE mapo_turns (
		session TEXT NOT NULL, step BIGINT NOT NULL, query BIGINT NOT NULL, text TEXT NOT NULL, probability DOUBLE PRECISION NOT NULL,
		hash TEXT NOT NULL, mask TEXT NOT NULL, asked BIGINT NOT NULL,
		outcome TEXT NOT NULL, answer BIGINT NOT NULL, annotator TEXT NOT NULL, answered BIGINT NOT NULL, undone BIGINT NOT NULL,
		PRIMARY KEY (session, step));
INSERT INTO "mapo_turns" VALUES('ja7vna3lgu2dymj5k5zbnebn6m',1,4,'x5',1.14811889827251434326e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768281,'answer',1,'Zoë',1795721768284,0);
INSERT INTO "mapo_turns" VALUES('ja7vna3lgu2dymj5k5zbnebn6m',2,5,'x6',9.94094431400299072265e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768284,'dont-know',0,'',1795721768286,0);
INSERT INTO "mapo_turns" VALUES('ja7vna3lgu2dymj5k5zbnebn6m',3,4,'x5',0.671495258808136,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768286,'answer',-1,'',1795721768287,0);
INSERT INTO "mapo_turns" VALUES('ja7vna3lgu2dymj5k5zbnebn6m',4,2,'x3',3.8555011153221130371e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768287,'',0,'',0,0);
INSERT INTO "mapo_turns" VALUES('rdv5bv3iqovpijbeeblzmzr4h4',1,2,'x3',3.47652137279510498046e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768291,'answer',-1,'',1795721768292,2);
INSERT INTO "mapo_turns" VALUES('rdv5bv3iqovpijbeeblzmzr4h4',2,1,'x2',8.14520180225372314453e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768292,'undo',0,'',1795721768293,0);
INSERT INTO "mapo_turns" VALUES('rdv5bv3iqovpijbeeblzmzr4h4',3,2,'x3',3.47652137279510498046e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768293,'answer',1,'',1795721768294,0);
INSERT INTO "mapo_turns" VALUES('rdv5bv3iqovpijbeeblzmzr4h4',4,3,'x4',2.50845611095428466796e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768294,'',0,'',0,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',1,3,'x4',3.47652137279510498046e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768295,'answer',1,'',1795721768296,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',2,4,'x5',8.14520180225372314453e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768296,'answer',1,'',1795721768297,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',3,5,'x6',9.99581634998321533203e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768297,'answer',1,'',1795721768298,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',4,5,'x6',9.97017383575439453125e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768298,'answer',1,'',1795721768299,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',5,5,'x6',9.70588028430938720703e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768299,'answer',1,'',1795721768302,0);
INSERT INTO "mapo_turns" VALUES('uhhsrzm3mwgjjxprj2v2kymt2e',6,-1,'',0.0,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768302,'',0,'',0,0);
INSERT INTO "mapo_turns" VALUES('zs27tjuiitpojko6uk54wm6j7u',1,3,'x4',3.47652137279510498046e-01,'3132d1ec1bc2e3030e1cf261a1cc98af69c5bd63e73f16124713dd5674d98c9c','null',1795721768303,'',0,'',0,0);
CREATE INDEX mapo_sessions_touched ON mapo_sessions (touched);
