"""Questions as QTI 1.2, a zip archive that Canvas imports: a manifest, and a file of all questions.

Canvas reads HTML in texts. So a text is escaped twice: as HTML, and as XML around it.
"""

import io
import zipfile
from collections.abc import Iterable
from html import escape

from crisps24.drawing.gift import Question

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FILE = "quiz/quiz.xml"
_MANIFEST = f"""{_XML}\
<manifest identifier="manifest" xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1">
  <metadata>
    <schema>IMS Content</schema>
    <schemaversion>1.1.3</schemaversion>
  </metadata>
  <organizations/>
  <resources>
    <resource identifier="quiz" type="imsqti_xmlv1p2">
      <file href="{_FILE}"/>
    </resource>
  </resources>
</manifest>
"""
_START = """\
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
  <assessment ident="quiz" title="{title}">
    <section ident="root_section">
"""
_END = """\
    </section>
  </assessment>
</questestinterop>
"""
_ITEM = """\
      <item ident="question{number}" title="{title}">
        <itemmetadata>
          <qtimetadata>
            <qtimetadatafield>
              <fieldlabel>question_type</fieldlabel>
              <fieldentry>multiple_choice_question</fieldentry>
            </qtimetadatafield>
            <qtimetadatafield>
              <fieldlabel>points_possible</fieldlabel>
              <fieldentry>1</fieldentry>
            </qtimetadatafield>
          </qtimetadata>
        </itemmetadata>
        <presentation>
          <material>
            <mattext texttype="text/html">{text}</mattext>
          </material>
          <response_lid ident="response1" rcardinality="Single">
            <render_choice>
{answers}            </render_choice>
          </response_lid>
        </presentation>
        <resprocessing>
          <outcomes>
            <decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/>
          </outcomes>
          <respcondition continue="No">
            <conditionvar>
              <varequal respident="response1">{number}{right:02}</varequal>
            </conditionvar>
            <setvar action="Set" varname="SCORE">100</setvar>
          </respcondition>
        </resprocessing>
      </item>
"""
_ANSWER = """\
              <response_label ident="{number}{index:02}">
                <material>
                  <mattext texttype="text/html">{text}</mattext>
                </material>
              </response_label>
"""


def qti_of(questions: Iterable[Question], title: str) -> bytes:
    """Return the bytes of an archive with a quiz; the same questions give the same bytes."""
    items = (_item(number, question) for number, question in enumerate(questions, 1))
    quiz = "".join([_XML, _START.format(title=escape(title)), *items, _END])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("imsmanifest.xml", _MANIFEST), (_FILE, quiz)):
            # Without a date, ZipInfo has the year 1980.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _item(number: int, question: Question) -> str:
    answers = (
        _ANSWER.format(number=number, index=index, text=escape(escape(answer)))
        for index, answer in enumerate(question.answers)
    )
    return _ITEM.format(
        number=number,
        title=escape(question.title),
        text=escape(escape(question.text)),
        answers="".join(answers),
        right=question.right,
    )
