CREATE TABLE mapo_meta (version BIGINT NOT NULL);
INSERT INTO mapo_meta VALUES(2);
CREATE TABLE mapo_sessions (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, play TEXT NOT NULL, title TEXT NOT NULL, seed BIGINT NOT NULL,
		stop_margin DOUBLE PRECISION NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL,
		stop DOUBLE PRECISION NOT NULL DEFAULT 0, guess BIGINT NOT NULL DEFAULT 0);
INSERT INTO mapo_sessions VALUES('rjl3kinj6nuqfgfrvdxipldkb4','second','91d02ce673d3f9bcaf6612408dd49fa7','half way',7,0.0,1795728760806,1795728760812,0.94999999999999995559,1);
INSERT INTO mapo_sessions VALUES('jf3hqitj5wbwvp4kjiru77gv7a','second','91d02ce673d3f9bcaf6612408dd49fa7','guessing',7,0.0,1795728760813,1795728760817,0.94999999999999995559,1);
INSERT INTO mapo_sessions VALUES('y64wxzq3skjidygujoe55tyskm','second','91d02ce673d3f9bcaf6612408dd49fa7','right',7,0.0,1795728760818,1795728760823,0.94999999999999995559,1);
INSERT INTO mapo_sessions VALUES('rowt2gifqgmztsolv2uf6hqyum','second','91d02ce673d3f9bcaf6612408dd49fa7','not begun',7,0.0,1795728760824,1795728760824,0.8000000000000000444,0);
CREATE TABLE mapo_turns (
		session TEXT NOT NULL, step BIGINT NOT NULL, query BIGINT NOT NULL, text TEXT NOT NULL, probability DOUBLE PRECISION NOT NULL,
		hash TEXT NOT NULL, mask TEXT NOT NULL, asked BIGINT NOT NULL,
		outcome TEXT NOT NULL, answer DOUBLE PRECISION NOT NULL, annotator TEXT NOT NULL, answered BIGINT NOT NULL, undone BIGINT NOT NULL,
		guess BIGINT NOT NULL DEFAULT -1,
		PRIMARY KEY (session, step));
INSERT INTO mapo_turns VALUES('rjl3kinj6nuqfgfrvdxipldkb4',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760806,'answer',0.5,'Zoë',1795728760808,2,-1);
INSERT INTO mapo_turns VALUES('rjl3kinj6nuqfgfrvdxipldkb4',2,2,'r?',0.49867707490921020507,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760808,'undo',0.0,'',1795728760809,0,-1);
INSERT INTO mapo_turns VALUES('rjl3kinj6nuqfgfrvdxipldkb4',3,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760809,'answer',-0.5,'Zoë',1795728760810,0,-1);
INSERT INTO mapo_turns VALUES('rjl3kinj6nuqfgfrvdxipldkb4',4,2,'r?',0.49867707490921020507,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760810,'dont-know',0.0,'Zoë',1795728760812,0,-1);
INSERT INTO mapo_turns VALUES('rjl3kinj6nuqfgfrvdxipldkb4',5,0,'p?',0.9947223067283630371,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760812,'',0.0,'',0,0,-1);
INSERT INTO mapo_turns VALUES('jf3hqitj5wbwvp4kjiru77gv7a',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760813,'answer',1.0,'Zoë',1795728760814,0,-1);
INSERT INTO mapo_turns VALUES('jf3hqitj5wbwvp4kjiru77gv7a',2,2,'r?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760814,'answer',1.0,'Zoë',1795728760815,0,-1);
INSERT INTO mapo_turns VALUES('jf3hqitj5wbwvp4kjiru77gv7a',3,0,'p?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760815,'answer',1.0,'Zoë',1795728760816,0,-1);
INSERT INTO mapo_turns VALUES('jf3hqitj5wbwvp4kjiru77gv7a',4,3,'s?',1.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760816,'answer',1.0,'Zoë',1795728760817,0,-1);
INSERT INTO mapo_turns VALUES('jf3hqitj5wbwvp4kjiru77gv7a',5,-1,'A',0.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760817,'',0.0,'',0,0,0);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760818,'answer',-1.0,'Zoë',1795728760819,0,-1);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',2,2,'r?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760819,'answer',-1.0,'Zoë',1795728760820,0,-1);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',3,0,'p?',0.5,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760820,'answer',-1.0,'Zoë',1795728760821,0,-1);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',4,3,'s?',1.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760821,'answer',-1.0,'Zoë',1795728760822,0,-1);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',5,-1,'D',0.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760822,'right',0.0,'',1795728760823,0,3);
INSERT INTO mapo_turns VALUES('y64wxzq3skjidygujoe55tyskm',6,-1,'',0.0,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760823,'',0.0,'',0,0,-1);
INSERT INTO mapo_turns VALUES('rowt2gifqgmztsolv2uf6hqyum',1,1,'q?',0.25,'91d02ce673d3f9bcaf6612408dd49fa7727e6dc6dd6c465831e36bf300e3c676','null',1795728760824,'',0.0,'',0,0,-1);
CREATE INDEX mapo_sessions_touched ON mapo_sessions (touched);
CREATE INDEX mapo_turns_unanswered ON mapo_turns (asked, session) WHERE step = 1 AND outcome = '';
