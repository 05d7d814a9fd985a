CREATE TABLE mapo_aside (
    policy text NOT NULL,
    client text NOT NULL,
    version bigint NOT NULL,
    games bigint NOT NULL,
    median double precision NOT NULL,
    quantile double precision NOT NULL,
    since bigint NOT NULL,
    state text NOT NULL
);
CREATE TABLE mapo_counts (
    policy text NOT NULL,
    object bigint NOT NULL,
    question bigint NOT NULL,
    yes bigint NOT NULL,
    no bigint NOT NULL
);
CREATE TABLE mapo_games (
    id text NOT NULL,
    policy text NOT NULL,
    version bigint NOT NULL,
    objects text NOT NULL,
    proposal bigint NOT NULL,
    truth text NOT NULL,
    recommended text NOT NULL,
    answers text NOT NULL,
    client text NOT NULL,
    capped bigint NOT NULL,
    told bigint NOT NULL,
    learned bigint NOT NULL,
    excluded bigint NOT NULL
);
CREATE TABLE mapo_keys (
    day text NOT NULL,
    key text NOT NULL
);
CREATE TABLE mapo_learning (
    policy text NOT NULL,
    changes bigint NOT NULL,
    built bigint NOT NULL
);
CREATE TABLE mapo_meta (
    version bigint NOT NULL
);
CREATE TABLE mapo_names (
    policy text NOT NULL,
    kind text NOT NULL,
    idx bigint NOT NULL,
    name text NOT NULL,
    accepted bigint NOT NULL,
    shares text NOT NULL
);
CREATE TABLE mapo_proposals (
    id bigint NOT NULL,
    policy text NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    folded text NOT NULL,
    client text NOT NULL,
    session text NOT NULL,
    answer bigint NOT NULL,
    created bigint NOT NULL,
    state text NOT NULL,
    idx bigint NOT NULL
);
CREATE TABLE mapo_sessions (
    id text NOT NULL,
    policy text NOT NULL,
    play text NOT NULL,
    title text NOT NULL,
    seed bigint NOT NULL,
    stop_margin double precision NOT NULL,
    created bigint NOT NULL,
    touched bigint NOT NULL,
    stop double precision DEFAULT 0 NOT NULL,
    guess bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    labelling bigint DEFAULT 0 NOT NULL,
    truth text DEFAULT ''::text NOT NULL,
    told bigint DEFAULT 0 NOT NULL
);
CREATE TABLE mapo_turns (
    session text NOT NULL,
    step bigint NOT NULL,
    query bigint NOT NULL,
    text text NOT NULL,
    probability double precision NOT NULL,
    hash text NOT NULL,
    mask text NOT NULL,
    asked bigint NOT NULL,
    outcome text NOT NULL,
    answer double precision NOT NULL,
    annotator text NOT NULL,
    answered bigint NOT NULL,
    undone bigint NOT NULL,
    guess bigint DEFAULT '-1'::integer NOT NULL,
    class text DEFAULT ''::text NOT NULL
);
CREATE TABLE mapo_versions (
    policy text NOT NULL,
    version bigint NOT NULL,
    base text NOT NULL,
    built bigint NOT NULL,
    games bigint NOT NULL,
    objects bigint NOT NULL,
    questions bigint NOT NULL,
    cells text NOT NULL
);
INSERT INTO mapo_counts VALUES ('beasts', 2, -1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 2, 2, 0, 2);
INSERT INTO mapo_counts VALUES ('beasts', 2, 4, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 2, 5, 1, 0);
INSERT INTO mapo_counts VALUES ('beasts', 1, -1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 1, 1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 1, 4, 0, 2);
INSERT INTO mapo_counts VALUES ('beasts', 1, 5, 1, 0);
INSERT INTO mapo_counts VALUES ('beasts', 6, -1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 6, 0, 0, 2);
INSERT INTO mapo_counts VALUES ('beasts', 6, 1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 6, 5, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 7, -1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 7, 0, 0, 2);
INSERT INTO mapo_counts VALUES ('beasts', 7, 1, 2, 0);
INSERT INTO mapo_counts VALUES ('beasts', 7, 3, 1, 0);
INSERT INTO mapo_games VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 'beasts', 0, '[2]', 0, 'duck', 'frog', '[[4,2],[2,-2],[5,1]]', 'l', 0, 1795941998748, 1, 0);
INSERT INTO mapo_games VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 'beasts', 0, '[1]', 0, 'dog', 'duck', '[[4,-2],[5,1],[1,2]]', 'l', 0, 1795941998785, 1, 0);
INSERT INTO mapo_games VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 'beasts', 0, '[]', 1, 'griffin', 'frog', '[[4,1],[5,2],[0,-2]]', 'l', 0, 1795941998837, 1, 0);
INSERT INTO mapo_games VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 'beasts', 1, '[6]', 0, 'frog', 'frog', '[[5,2],[0,-2],[1,2]]', 'l', 0, 1795941998881, 1, 0);
INSERT INTO mapo_games VALUES ('beasts/4f1f6a52-5f7f-4a53-9a37-6f3a6f3c1f10', 'beasts', 1, '[7]', 0, 'whale', 'shark', '[[1,2],[3,1],[0,-2]]', 'l', 0, 1795941998888, 1, 0);
INSERT INTO mapo_learning VALUES ('beasts', 4, 4);
INSERT INTO mapo_meta VALUES (4);
INSERT INTO mapo_names VALUES ('beasts', 'object', 0, 'cat', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 1, 'dog', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 2, 'duck', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 3, 'horse', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 4, 'shark', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 5, 'eagle', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 6, 'frog', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'object', 7, 'whale', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 0, 'Does it fly?', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 1, 'Does it swim?', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 2, 'Does it bark?', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 3, 'Is it large?', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 4, 'Has it four legs?', 0, '');
INSERT INTO mapo_names VALUES ('beasts', 'question', 5, 'Does it lay eggs?', 0, '');
INSERT INTO mapo_proposals VALUES (1, 'beasts', 'object', 'griffin', 'griffin', 'l', '63e7za6pfvenp4zqykoxhzb6vi', 0, 1795941998837, 'open', -1);
INSERT INTO mapo_proposals VALUES (2, 'beasts', 'question', 'Does it have feathers?', 'does it have feathers?', 'l', '6hly56yjdbekznlq3pv4z5v5pu', 2, 1795941998898, 'open', -1);
INSERT INTO mapo_sessions VALUES ('s5cyvvkq52jwjepfkfe2wuofsi', 'thresholds', 'd6be8763b69f34acda121c4cd2aa2c4f', 'begun', 7, 0, 1795941998180, 1795941998180, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('c6dac2tph3oz3nub5y2khmeize', 'thresholds', 'd6be8763b69f34acda121c4cd2aa2c4f', 'half way', 7, 0, 1795941998184, 1795941998200, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('7isbxv6ao7oncnik2mzcteawqm', 'thresholds', 'd6be8763b69f34acda121c4cd2aa2c4f', 'whole', 7, 0, 1795941998204, 1795941998233, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('zhfasrop7aaniwrkrfnbvfpabu', 'majority', 'cfe7a3f43842d6c12ce58bb60565a719', 'begun', 7, 0, 1795941998248, 1795941998248, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('47trhaotc62gchwppoeus7fqse', 'majority', 'cfe7a3f43842d6c12ce58bb60565a719', 'half way', 7, 0, 1795941998250, 1795941998264, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 'majority', 'cfe7a3f43842d6c12ce58bb60565a719', 'whole', 7, 0, 1795941998268, 1795941998284, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('nkwosijdseaef2r5zuyp3i2yd4', 'rows', 'fe61e690b820838ad659b0c177092ba2', 'begun', 7, 0, 1795941998288, 1795941998288, 0.9, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 'rows', 'fe61e690b820838ad659b0c177092ba2', 'half way', 7, 0, 1795941998291, 1795941998303, 0.9, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 'rows', 'fe61e690b820838ad659b0c177092ba2', 'whole', 7, 0, 1795941998305, 1795941998326, 0.9, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('klnxgeneadmf4ppettg7hrhsem', 'arms', 'aea685c4bf295c841d161abe627f40f2', 'begun', 7, 0, 1795941998336, 1795941998336, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 'arms', 'aea685c4bf295c841d161abe627f40f2', 'half way', 7, 0, 1795941998340, 1795941998353, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 'arms', 'aea685c4bf295c841d161abe627f40f2', 'whole', 7, 0, 1795941998356, 1795941998384, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('bkdkfbxfqpsghwvnwzux6rti3u', 'arms-gaussian', '88f8dc7b5e3d27f16411a73dd03b9af4', 'begun', 7, 0, 1795941998387, 1795941998387, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 'arms-gaussian', '88f8dc7b5e3d27f16411a73dd03b9af4', 'half way', 7, 0, 1795941998392, 1795941998412, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 'arms-gaussian', '88f8dc7b5e3d27f16411a73dd03b9af4', 'whole', 7, 0, 1795941998416, 1795941998438, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('6gaf4tccz2wxmb5nn7uazh4j6u', 'vectors', '51dc6c7eda2cef7c54900437aa46ff7e', 'begun', 7, 0, 1795941998440, 1795941998440, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 'vectors', '51dc6c7eda2cef7c54900437aa46ff7e', 'half way', 7, 0, 1795941998444, 1795941998459, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 'vectors', '51dc6c7eda2cef7c54900437aa46ff7e', 'whole', 7, 0, 1795941998464, 1795941998500, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('gth4yzmarq6dxbde4tvgbajaga', 'pool-two', '10e6fc378a41df1b482f609176aa2d2a', 'begun', 7, 0, 1795941998504, 1795941998504, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 'pool-two', '10e6fc378a41df1b482f609176aa2d2a', 'half way', 7, 0, 1795941998510, 1795941998533, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 'pool-two', '10e6fc378a41df1b482f609176aa2d2a', 'whole', 7, 0, 1795941998541, 1795941998568, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('il27u7a5h5chps7wrv3y6cqk3i', 'pool-three', '882ded6e12592032085a6d343ae9b5b6', 'begun', 7, 0, 1795941998572, 1795941998572, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 'pool-three', '882ded6e12592032085a6d343ae9b5b6', 'half way', 7, 0, 1795941998576, 1795941998604, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 'pool-three', '882ded6e12592032085a6d343ae9b5b6', 'whole', 7, 0, 1795941998613, 1795941998640, 0, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('26etwzfsqbz6vm7hpsmoxtkbt4', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'begun', 7, 0, 1795941998644, 1795941998644, 0.95, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'half way', 7, 0, 1795941998654, 1795941998677, 0.95, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('32p7qtjljwz3vggi52tsjbxysa', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'whole', 7, 0, 1795941998683, 1795941998725, 0.95, 0, 0, 0, '', 0);
INSERT INTO mapo_sessions VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'told duck', 0, 0, 1795941998732, 1795941998748, 0.95, 0, 0, 0, 'duck', 1795941998748);
INSERT INTO mapo_sessions VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'told dog', 1, 0, 1795941998763, 1795941998785, 0.95, 1, 0, 0, 'dog', 1795941998785);
INSERT INTO mapo_sessions VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 'beasts', '011fa713489b0da4b887b5449fe1b844', 'told griffin', 2, 0, 1795941998788, 1795941998837, 0.95, 0, 0, 0, 'griffin', 1795941998837);
INSERT INTO mapo_sessions VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 'beasts', '7f1bea9bfa3928437e3697de68e0e762', 'told frog', 3, 0, 1795941998853, 1795941998881, 0.95, 0, 1, 0, 'frog', 1795941998881);
INSERT INTO mapo_turns VALUES ('s5cyvvkq52jwjepfkfe2wuofsi', 1, 2, 'x3', 0.47195854783058167, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998180, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('c6dac2tph3oz3nub5y2khmeize', 1, 2, 'x3', 0.47195854783058167, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998184, 'answer', 1, '', 1795941998186, 0, -1, '');
INSERT INTO mapo_turns VALUES ('c6dac2tph3oz3nub5y2khmeize', 3, 3, 'x4', 0.998917818069458, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998188, 'undo', 0, '', 1795941998195, 0, -1, '');
INSERT INTO mapo_turns VALUES ('c6dac2tph3oz3nub5y2khmeize', 2, 4, 'x5', 0.3263627886772156, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998186, 'answer', -1, '', 1795941998188, 3, -1, '');
INSERT INTO mapo_turns VALUES ('c6dac2tph3oz3nub5y2khmeize', 4, 4, 'x5', 0.3263627886772156, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998195, 'dont-know', 0, '', 1795941998200, 0, -1, '');
INSERT INTO mapo_turns VALUES ('c6dac2tph3oz3nub5y2khmeize', 5, 3, 'x4', 0.9992523789405823, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998200, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 1, 2, 'x3', 0.47195854783058167, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998204, 'answer', 1, '', 1795941998206, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 2, 4, 'x5', 0.3263627886772156, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998206, 'answer', -1, '', 1795941998207, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 3, 3, 'x4', 0.998917818069458, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998207, 'answer', 1, '', 1795941998216, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 4, 4, 'x5', 0.48701560497283936, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998216, 'dont-know', 0, '', 1795941998222, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 5, 3, 'x4', 0.9968218803405762, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998222, 'answer', 1, '', 1795941998233, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7isbxv6ao7oncnik2mzcteawqm', 6, -1, '', 0, '0bc8012b9aab995d2f57c68374c7554935783c034713d102fae3a1dba34680fc', 'null', 1795941998233, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('zhfasrop7aaniwrkrfnbvfpabu', 1, 4, 'Has it four legs?', 0.40485477447509766, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998248, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('47trhaotc62gchwppoeus7fqse', 1, 4, 'Has it four legs?', 0.40485477447509766, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998250, 'answer', 1, '', 1795941998251, 0, -1, '');
INSERT INTO mapo_turns VALUES ('47trhaotc62gchwppoeus7fqse', 3, 1, 'Does it swim?', 0.46460846066474915, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998253, 'undo', 0, '', 1795941998254, 0, -1, '');
INSERT INTO mapo_turns VALUES ('47trhaotc62gchwppoeus7fqse', 2, 5, 'Does it lay eggs?', 0.18960241973400116, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998251, 'answer', -1, '', 1795941998253, 3, -1, '');
INSERT INTO mapo_turns VALUES ('47trhaotc62gchwppoeus7fqse', 4, 5, 'Does it lay eggs?', 0.18960241973400116, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998254, 'dont-know', 0, '', 1795941998264, 0, -1, '');
INSERT INTO mapo_turns VALUES ('47trhaotc62gchwppoeus7fqse', 5, 1, 'Does it swim?', 0.6222431659698486, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998264, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 1, 4, 'Has it four legs?', 0.40485477447509766, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998268, 'answer', 1, '', 1795941998272, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 2, 5, 'Does it lay eggs?', 0.18960241973400116, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998272, 'answer', -1, '', 1795941998274, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 3, 1, 'Does it swim?', 0.46460846066474915, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998274, 'answer', 0.5, '', 1795941998276, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 4, 2, 'Does it bark?', 0.7846840620040894, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998276, 'dont-know', 0, '', 1795941998280, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 5, 3, 'Is it large?', 0.9992019534111023, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998280, 'answer', 1, '', 1795941998284, 0, -1, '');
INSERT INTO mapo_turns VALUES ('baikbp6ee5ofetckbq3ekgnuiu', 6, -1, '', 0, '45fe14203831fed4189a3b47596d266c264dde581c5b64c10bbd60062112ea31', 'null', 1795941998284, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('nkwosijdseaef2r5zuyp3i2yd4', 1, 1, 'Does it swim?', 0.3915899991989136, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998288, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 1, 1, 'Does it swim?', 0.3915899991989136, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998291, 'answer', 1, '', 1795941998293, 0, -1, '');
INSERT INTO mapo_turns VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 3, 3, 'Is it large?', 0.3271566927433014, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998295, 'undo', 0, '', 1795941998300, 0, -1, '');
INSERT INTO mapo_turns VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 2, 5, 'Does it lay eggs?', 0.1979326456785202, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998293, 'answer', -1, '', 1795941998295, 3, -1, '');
INSERT INTO mapo_turns VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 4, 5, 'Does it lay eggs?', 0.1979326456785202, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998300, 'dont-know', 0, '', 1795941998303, 0, -1, '');
INSERT INTO mapo_turns VALUES ('cvnl4ovvohi6pm66ij4eerhxna', 5, 2, 'Does it bark?', 0.10801553726196289, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998303, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 1, 1, 'Does it swim?', 0.3915899991989136, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998305, 'answer', 1, '', 1795941998308, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 2, 5, 'Does it lay eggs?', 0.1979326456785202, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998308, 'answer', -1, '', 1795941998312, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 3, 3, 'Is it large?', 0.3271566927433014, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998312, 'answer', 0.5, '', 1795941998314, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 4, 4, 'Has it four legs?', 0.7602041959762573, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998314, 'dont-know', 0, '', 1795941998324, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 5, 2, 'Does it bark?', 0.9999910593032837, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998324, 'answer', 1, '', 1795941998326, 0, -1, '');
INSERT INTO mapo_turns VALUES ('f7hglhlbtrizgxm5nqxmtk33gm', 6, -1, '', 0, '9025347ae7f22785c0896e13e0c443971de321c177304846c00795c12ba413b7', 'null', 1795941998326, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('klnxgeneadmf4ppettg7hrhsem', 1, 1, 'Pull arm 2: a success?', 0.25, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998336, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 1, 1, 'Pull arm 2: a success?', 0.25, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998340, 'answer', 1, '', 1795941998344, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 3, 1, 'Pull arm 2: a success?', 0.6747748255729675, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998346, 'undo', 0, '', 1795941998348, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 2, 2, 'Pull arm 3: a success?', 0.09915182739496231, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998344, 'answer', -1, '', 1795941998346, 3, -1, '');
INSERT INTO mapo_turns VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 4, 2, 'Pull arm 3: a success?', 0.09915182739496231, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998348, 'dont-know', 0, '', 1795941998353, 0, -1, '');
INSERT INTO mapo_turns VALUES ('7h3cmmku3ds4bjh5hyrl6os6ry', 5, 1, 'Pull arm 2: a success?', 0.7798700332641602, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998353, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 1, 1, 'Pull arm 2: a success?', 0.25, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998356, 'answer', 1, '', 1795941998360, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 2, 2, 'Pull arm 3: a success?', 0.09915182739496231, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998360, 'answer', -1, '', 1795941998364, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 3, 1, 'Pull arm 2: a success?', 0.6747748255729675, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998364, 'answer', 1, '', 1795941998368, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 4, 1, 'Pull arm 2: a success?', 0.482046514749527, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998368, 'dont-know', 0, '', 1795941998372, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 5, 0, 'Pull arm 1: a success?', 0.49949637055397034, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998372, 'answer', 1, '', 1795941998376, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 6, 0, 'Pull arm 1: a success?', 0.9983661770820618, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998376, 'answer', -1, '', 1795941998380, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 7, 0, 'Pull arm 1: a success?', 0.4934688210487366, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998380, 'answer', 1, '', 1795941998384, 0, -1, '');
INSERT INTO mapo_turns VALUES ('rnsvzttltlmejpv5wpos7s5kvi', 8, -1, '', 0, '4bb5747f3c8c3f3064098db7d721e396d930ece4d2beec2a215daf06e1d28a06', 'null', 1795941998384, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('bkdkfbxfqpsghwvnwzux6rti3u', 1, 1, 'Pull arm 2: its reward?', 0.25, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998387, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 1, 1, 'Pull arm 2: its reward?', 0.25, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998392, 'answer', 1.5, '', 1795941998396, 0, -1, '');
INSERT INTO mapo_turns VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 3, 1, 'Pull arm 2: its reward?', 0.8039603233337402, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998404, 'undo', 0, '', 1795941998408, 0, -1, '');
INSERT INTO mapo_turns VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 2, 2, 'Pull arm 3: its reward?', 0.078334279358387, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998396, 'answer', -0.25, '', 1795941998404, 3, -1, '');
INSERT INTO mapo_turns VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 4, 2, 'Pull arm 3: its reward?', 0.078334279358387, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998408, 'answer', 2, '', 1795941998412, 0, -1, '');
INSERT INTO mapo_turns VALUES ('pdcqg4ioscbqvo6wuqgrkmfxsq', 5, 1, 'Pull arm 2: its reward?', 0.2205239236354828, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998412, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 1, 1, 'Pull arm 2: its reward?', 0.25, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998416, 'answer', 1.5, '', 1795941998418, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 2, 2, 'Pull arm 3: its reward?', 0.078334279358387, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998418, 'answer', -0.25, '', 1795941998424, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 3, 1, 'Pull arm 2: its reward?', 0.8039603233337402, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998424, 'answer', 0.75, '', 1795941998428, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 4, 1, 'Pull arm 2: its reward?', 0.6126348376274109, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998428, 'answer', 2, '', 1795941998432, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 5, 0, 'Pull arm 1: its reward?', 0.37485989928245544, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998432, 'answer', 1.5, '', 1795941998436, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 6, 0, 'Pull arm 1: its reward?', 0.4971296191215515, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998436, 'answer', -0.25, '', 1795941998438, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6qshg5qdc36c7zkdv2bl77f3qu', 7, -1, '', 0, 'de1c4e1306f0de5516a1c5a58a5cde809a77e3c03eaf37f8658f2a00cb276f2c', 'null', 1795941998438, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6gaf4tccz2wxmb5nn7uazh4j6u', 1, 2, '3: yes?', 0.36822691559791565, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998440, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 1, 2, '3: yes?', 0.36822691559791565, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998444, 'answer', 1, '', 1795941998447, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 3, 2, '3: yes?', 0.19459091126918793, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998452, 'undo', 0, '', 1795941998456, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 2, 3, '4: yes?', 0.4166942238807678, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998447, 'answer', -1, '', 1795941998452, 3, -1, '');
INSERT INTO mapo_turns VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 4, 3, '4: yes?', 0.4166942238807678, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998456, 'dont-know', 0, '', 1795941998459, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wtbj2vqxipgtsox4ntp4r6aaqm', 5, 0, '1: yes?', 0.24829499423503876, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998459, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 1, 2, '3: yes?', 0.36822691559791565, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998464, 'answer', 1, '', 1795941998468, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 2, 3, '4: yes?', 0.4166942238807678, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998468, 'answer', -1, '', 1795941998470, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 3, 2, '3: yes?', 0.19459091126918793, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998470, 'answer', 1, '', 1795941998472, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 4, 4, '5: yes?', 0.4508824348449707, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998472, 'dont-know', 0, '', 1795941998485, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 5, 2, '3: yes?', 0.08264059573411942, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998485, 'answer', 1, '', 1795941998492, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 6, 3, '4: yes?', 0.9259262084960938, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998492, 'answer', -1, '', 1795941998496, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 7, 0, '1: yes?', 0.44781172275543213, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998496, 'answer', 1, '', 1795941998500, 0, -1, '');
INSERT INTO mapo_turns VALUES ('psrjobhbx6ow4tcl4nnxq2wlmi', 8, -1, '', 0, '44cac22530f9182adcd2d318cbfa56267da1161c93a86451463f1935870ba38d', 'null', 1795941998500, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('gth4yzmarq6dxbde4tvgbajaga', 1, 6, 'i22', 0.05817956477403641, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998504, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 1, 6, 'i22', 0.05817956477403641, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998510, 'answer', 0, '', 1795941998512, 0, -1, 'no');
INSERT INTO mapo_turns VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 3, 7, 'i3', 0.06788909435272217, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998522, 'undo', 0, '', 1795941998524, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 2, 15, 'i14', 0.06358735263347626, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998512, 'answer', 1, '', 1795941998522, 3, -1, 'yes');
INSERT INTO mapo_turns VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 4, 15, 'i14', 0.06358735263347626, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998524, 'answer', 1, '', 1795941998533, 0, -1, 'yes');
INSERT INTO mapo_turns VALUES ('wfam63yb4zj3cv2qfx7ql6ecf4', 5, 2, 'i7', 0.06853209435939789, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998533, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 1, 6, 'i22', 0.05817956477403641, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998541, 'answer', 0, '', 1795941998548, 0, -1, 'no');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 2, 15, 'i14', 0.06358735263347626, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998548, 'answer', 1, '', 1795941998553, 0, -1, 'yes');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 3, 7, 'i3', 0.06788909435272217, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998553, 'answer', 0, '', 1795941998556, 0, -1, 'no');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 4, 10, 'i16', 0.06904765218496323, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998556, 'answer', 1, '', 1795941998560, 0, -1, 'yes');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 5, 2, 'i7', 0.07854478806257248, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998560, 'answer', 0, '', 1795941998568, 0, -1, 'no');
INSERT INTO mapo_turns VALUES ('ge5yowzpjqtvqhhxomton5t5sm', 6, -1, '', 0, '5348420fab64d272f1f085a8553ac2208435f6976c65208ad29559b3f9f216ec', 'null', 1795941998568, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('il27u7a5h5chps7wrv3y6cqk3i', 1, 8, 'i12', 0.12313079088926315, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998572, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 1, 8, 'i12', 0.12313079088926315, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998576, 'answer', 0, '', 1795941998583, 0, -1, 'cat');
INSERT INTO mapo_turns VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 3, 6, 'i10', 0.04936708137392998, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998592, 'undo', 0, '', 1795941998598, 0, -1, '');
INSERT INTO mapo_turns VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 2, 13, 'i19', 0.08505085110664368, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998583, 'answer', 1, '', 1795941998592, 3, -1, 'cow');
INSERT INTO mapo_turns VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 4, 13, 'i19', 0.08505085110664368, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998598, 'answer', 0, '', 1795941998604, 0, -1, 'cat');
INSERT INTO mapo_turns VALUES ('zoes7ndsudcmkxh6d3q3e32mhy', 5, 1, 'i7', 0.10457170754671097, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998604, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 1, 8, 'i12', 0.12313079088926315, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998613, 'answer', 0, '', 1795941998620, 0, -1, 'cat');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 2, 13, 'i19', 0.08505085110664368, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998620, 'answer', 1, '', 1795941998624, 0, -1, 'cow');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 3, 6, 'i10', 0.04936708137392998, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998624, 'answer', 2, '', 1795941998633, 0, -1, 'dog');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 4, 9, 'i14', 0.19531965255737305, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998633, 'answer', 0, '', 1795941998636, 0, -1, 'cat');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 5, 2, 'i3', 0.09246984869241714, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998636, 'answer', 1, '', 1795941998640, 0, -1, 'cow');
INSERT INTO mapo_turns VALUES ('hjpqwqmsknwih2pvngbuuqly6u', 6, -1, '', 0, '0feddc4d86feb21d0b5bd9083994d9913f06d59e74c76a7ccfd5c977518f864f', 'null', 1795941998640, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('26etwzfsqbz6vm7hpsmoxtkbt4', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998644, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998654, 'answer', 1, '', 1795941998660, 0, -1, '');
INSERT INTO mapo_turns VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 3, 5, 'Does it lay eggs?', 0.9999889731407166, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998664, 'undo', 0, '', 1795941998669, 0, -1, '');
INSERT INTO mapo_turns VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 2, 2, 'Does it bark?', 0.9989596605300903, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998660, 'answer', -1, '', 1795941998664, 3, -1, '');
INSERT INTO mapo_turns VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 4, 2, 'Does it bark?', 0.9989596605300903, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998669, 'dont-know', 0, '', 1795941998677, 0, -1, '');
INSERT INTO mapo_turns VALUES ('nfmpopfnzl5ljnvmgiem2nuava', 5, 5, 'Does it lay eggs?', 0.9999992251396179, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998677, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998683, 'answer', 1, '', 1795941998688, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 2, 2, 'Does it bark?', 0.9989596605300903, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998688, 'answer', -1, '', 1795941998695, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 3, 5, 'Does it lay eggs?', 0.9999889731407166, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998695, 'answer', 0.5, '', 1795941998700, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 4, 1, 'Does it swim?', 0.9906163215637207, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998700, 'dont-know', 0, '', 1795941998705, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 5, 3, 'Is it large?', 1, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998705, 'answer', 1, '', 1795941998715, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 6, 0, 'Does it fly?', 1, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998715, 'answer', -1, '', 1795941998725, 0, -1, '');
INSERT INTO mapo_turns VALUES ('32p7qtjljwz3vggi52tsjbxysa', 7, -1, '', 0, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998725, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998732, 'answer', 1, '', 1795941998735, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 2, 2, 'Does it bark?', 0.9989596605300903, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998735, 'answer', -1, '', 1795941998736, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 3, 5, 'Does it lay eggs?', 0.9999889731407166, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998736, 'answer', 0.5, '', 1795941998740, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 4, 1, 'Does it swim?', 0.9906163215637207, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998740, 'dont-know', 0, '', 1795941998744, 0, -1, '');
INSERT INTO mapo_turns VALUES ('6hly56yjdbekznlq3pv4z5v5pu', 5, 3, 'Is it large?', 1, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998744, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998763, 'answer', -1, '', 1795941998768, 0, -1, '');
INSERT INTO mapo_turns VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 2, 5, 'Does it lay eggs?', 0.40863457322120667, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998768, 'answer', 0.5, '', 1795941998772, 0, -1, '');
INSERT INTO mapo_turns VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 3, 0, 'Does it fly?', 0.9997334480285645, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998772, 'dont-know', 0, '', 1795941998775, 0, -1, '');
INSERT INTO mapo_turns VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 4, 1, 'Does it swim?', 1, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998775, 'answer', 1, '', 1795941998780, 0, -1, '');
INSERT INTO mapo_turns VALUES ('mxqhbvkhsvhubigqqjmgo2tkee', 5, 3, 'Is it large?', 0.9999918341636658, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998780, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 1, 4, 'Has it four legs?', 0.9933565258979797, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998788, 'answer', 0.5, '', 1795941998807, 0, -1, '');
INSERT INTO mapo_turns VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 2, 2, 'Does it bark?', 0.8821824193000793, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998807, 'dont-know', 0, '', 1795941998818, 0, -1, '');
INSERT INTO mapo_turns VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 3, 5, 'Does it lay eggs?', 0.9999994039535522, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998818, 'answer', 1, '', 1795941998824, 0, -1, '');
INSERT INTO mapo_turns VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 4, 0, 'Does it fly?', 0.9980751276016235, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998824, 'answer', -1, '', 1795941998828, 0, -1, '');
INSERT INTO mapo_turns VALUES ('63e7za6pfvenp4zqykoxhzb6vi', 5, 1, 'Does it swim?', 0.9998648762702942, '011fa713489b0da4b887b5449fe1b844009d0169f32c041d32371b65a8290343', 'null', 1795941998828, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 1, 2, 'Does it bark?', 0.9980725646018982, '7f1bea9bfa3928437e3697de68e0e76276078f21592d6bc1d093c47a561ad4d0', 'null', 1795941998853, 'dont-know', 0, '', 1795941998860, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 2, 5, 'Does it lay eggs?', 0.9829942584037781, '7f1bea9bfa3928437e3697de68e0e76276078f21592d6bc1d093c47a561ad4d0', 'null', 1795941998860, 'answer', 1, '', 1795941998864, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 3, 0, 'Does it fly?', 0.9999569654464722, '7f1bea9bfa3928437e3697de68e0e76276078f21592d6bc1d093c47a561ad4d0', 'null', 1795941998864, 'answer', -1, '', 1795941998872, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 4, 1, 'Does it swim?', 0.9999566674232483, '7f1bea9bfa3928437e3697de68e0e76276078f21592d6bc1d093c47a561ad4d0', 'null', 1795941998872, 'answer', 1, '', 1795941998876, 0, -1, '');
INSERT INTO mapo_turns VALUES ('wwlfgs25xvhr2d5kjqzgjf7tbm', 5, 3, 'Is it large?', 0.7928762435913086, '7f1bea9bfa3928437e3697de68e0e76276078f21592d6bc1d093c47a561ad4d0', 'null', 1795941998876, '', 0, '', 0, 0, -1, '');
INSERT INTO mapo_versions VALUES ('beasts', 1, 'c5c81f627dc7752fa9b163399bf80469e516b85b4935920f09642724b2decaf2', 1795941998825, 2, 8, 6, '[[1,-1,2,0],[1,1,2,0],[1,4,0,2],[1,5,1,0],[2,-1,2,0],[2,2,0,2],[2,4,2,0],[2,5,1,0]]');
INSERT INTO mapo_versions VALUES ('beasts', 2, 'c5c81f627dc7752fa9b163399bf80469e516b85b4935920f09642724b2decaf2', 1795941998901, 4, 8, 6, '[[6,-1,2,0],[6,0,0,2],[6,1,2,0],[6,5,2,0],[7,-1,2,0],[7,0,0,2],[7,1,2,0],[7,3,1,0]]');
ALTER TABLE ONLY mapo_aside
    ADD CONSTRAINT mapo_aside_pkey PRIMARY KEY (policy, client);
ALTER TABLE ONLY mapo_counts
    ADD CONSTRAINT mapo_counts_pkey PRIMARY KEY (policy, object, question);
ALTER TABLE ONLY mapo_games
    ADD CONSTRAINT mapo_games_pkey PRIMARY KEY (id);
ALTER TABLE ONLY mapo_keys
    ADD CONSTRAINT mapo_keys_pkey PRIMARY KEY (day);
ALTER TABLE ONLY mapo_learning
    ADD CONSTRAINT mapo_learning_pkey PRIMARY KEY (policy);
ALTER TABLE ONLY mapo_names
    ADD CONSTRAINT mapo_names_pkey PRIMARY KEY (policy, kind, idx);
ALTER TABLE ONLY mapo_proposals
    ADD CONSTRAINT mapo_proposals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY mapo_proposals
    ADD CONSTRAINT mapo_proposals_policy_kind_folded_key UNIQUE (policy, kind, folded);
ALTER TABLE ONLY mapo_sessions
    ADD CONSTRAINT mapo_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY mapo_turns
    ADD CONSTRAINT mapo_turns_pkey PRIMARY KEY (session, step);
ALTER TABLE ONLY mapo_versions
    ADD CONSTRAINT mapo_versions_pkey PRIMARY KEY (policy, version);
CREATE INDEX mapo_games_policy ON mapo_games USING btree (policy, client, learned);
CREATE INDEX mapo_games_proposal ON mapo_games USING btree (proposal) WHERE (proposal > 0);
CREATE INDEX mapo_games_told ON mapo_games USING btree (told) WHERE (told > 0);
CREATE INDEX mapo_proposals_game ON mapo_proposals USING btree (session) WHERE (session <> ''::text);
CREATE INDEX mapo_sessions_touched ON mapo_sessions USING btree (touched);
CREATE INDEX mapo_sessions_version ON mapo_sessions USING btree (policy, version) WHERE ((version > 0) AND (told = 0));
CREATE INDEX mapo_turns_unanswered ON mapo_turns USING btree (asked, session) WHERE ((step = 1) AND (outcome = ''::text));
