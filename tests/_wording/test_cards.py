"""The box for notebooks."""

from html.parser import HTMLParser

from sklearn_bbc._text import card

EVIL = '<script>alert("1")</script>&'


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_everything_is_escaped_and_all_tags_are_closed():
    reader = Reader()
    reader.feed(card(EVIL, EVIL, [(EVIL, EVIL)], [EVIL]))
    assert reader.open == [] and set(reader.tags) == {"div", "table", "tr", "th", "td"}
    assert reader.text.count(EVIL) == 5


def test_what_is_missing_leaves_nothing():
    assert "<table" not in card("title", "main") and card("title", "main").count("<div") == 3
