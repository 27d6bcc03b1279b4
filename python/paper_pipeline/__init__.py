"""Ask research papers from Python: answers with verbatim quotes, section and page, and an evaluation of them.

    from paper_pipeline import Library

    library = Library("papers")
    print(library.ask("Did vitamin D reduce falls?"))

Everything is computed by the program `pipeline` of the same package, or by a server that runs it.
"""

from paper_pipeline.backends import Filters as Filters
from paper_pipeline.errors import PipelineError as PipelineError
from paper_pipeline.evaluation import EvaluationDataset as EvaluationDataset
from paper_pipeline.evaluation import EvaluationRunner as EvaluationRunner
from paper_pipeline.evaluation import LLMEvaluator as LLMEvaluator
from paper_pipeline.evaluation import RAGEvaluator as RAGEvaluator
from paper_pipeline.evaluation import quick_evaluate as quick_evaluate
from paper_pipeline.evaluation import to_ragas as to_ragas
from paper_pipeline.library import Library as Library
from paper_pipeline.results import Answer as Answer
from paper_pipeline.results import Evaluation as Evaluation
from paper_pipeline.results import Hits as Hits
from paper_pipeline.results import PaperTable as PaperTable
from paper_pipeline.results import Verified as Verified
